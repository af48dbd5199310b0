package dev.fermata.engine.local;

import dev.fermata.live.attempt.AttemptLogFiles;
import dev.fermata.live.attempt.AttemptRegistry;
import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.engine.EngineEvent;
import java.nio.file.Path;
import java.util.function.Consumer;

/** What all attempts of one engine share. */
record EngineServices(
        LocalEngineSettings settings,
        MachineServices machine,
        EngineFiles files,
        AttemptMarkers markers,
        AttemptLogFiles logs,
        EngineExecutor executor,
        AttemptRegistry attempts,
        Consumer<EngineEvent> events) {
    /**
     * The machine the engine runs on.
     *
     * @param devices its GPUs; their numbers are those of the history once the engine is opened
     * @param bootId identifies the current boot
     */
    record MachineServices(
            DeviceWatch devices, String bootId, ControlGroups groups, AccountResolver accounts, Suspender suspender) {}

    /**
     * Files that every attempt uses.
     *
     * @param attemptsFolder holds the folders of all attempts
     * @param shim the script that supervises an attempt
     * @param step the script that executes the job's command
     * @param python the folder of the Python helper
     */
    record EngineFiles(Path attemptsFolder, Path shim, Path step, Path python) {}

    Suspender suspender() {
        return machine.suspender;
    }

    Hardware hardware() {
        return machine.devices.numbered();
    }

    String bootId() {
        return machine.bootId;
    }

    ControlGroups groups() {
        return machine.groups;
    }

    AccountResolver accounts() {
        return machine.accounts;
    }

    Path attemptsFolder() {
        return files.attemptsFolder;
    }

    Path shim() {
        return files.shim;
    }

    Path step() {
        return files.step;
    }

    Path python() {
        return files.python;
    }
}
