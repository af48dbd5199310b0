package dev.fermata.live.engine.local;

import dev.fermata.live.engine.News;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What all attempts of one engine share.
 *
 * @param runs the folder of all runs
 * @param shim the script that watches over an attempt
 * @param step the script that becomes a job
 * @param python the folder of the Python helper
 * @param boot names the present start of the machine
 */
record Shop(
        LocalSettings settings,
        Hardware hardware,
        Path runs,
        Path shim,
        Path step,
        String boot,
        RunIds ids,
        ControlGroups groups,
        Accounts accounts,
        LogFiles logs,
        Path python,
        Work work,
        Consumer<News> inbox) {}
