package dev.fermata.app.cli;

import dev.fermata.app.demo.Performance;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata demo}: a daemon with a stream of small real trainings, to look on. */
@Command(
        name = "demo",
        description = {
            "Look on: a daemon of its own on virtual GPUs, small neural networks that are really trained, and trial jobs",
            "for which they are paused. Every paused job is compared with an unpaused run. Needs python3."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata demo", "  fermata demo --gpus 8 --seconds 60"})
final class Demo implements Callable<Integer>, OneOff {
    private static final int MOST_GPUS = 64;
    private static final int MOST_SECONDS = 86_400;
    private static final int SECONDS_TO_END = 45;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--gpus",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many GPUs to pretend (default: ${DEFAULT-VALUE}).")
    private String gpus;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Jobs arrive for so long, then all are let finish (default: until Ctrl-C).")
    private @Nullable String seconds;

    @Option(
            names = "--policy",
            paramLabel = "P",
            defaultValue = "fermata",
            completionCandidates = PolicyNames.class,
            description =
                    "Who decides: a name of fermata policies, with parameters or without (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "For the jobs and when they arrive (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The daemon's folder, to look into afterwards (default: a temporary one, removed).")
    private @Nullable Path data;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    boolean verbose;

    Demo(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Performance performance = Complaint.ifInvalid(() -> {
            PolicySpec.parse(policy);
            return new Performance(
                    data,
                    (int) Quantity.whole("--gpus", gpus, 1, MOST_GPUS),
                    policy,
                    seconds == null ? 0 : (int) Quantity.whole("--seconds", seconds, 1, MOST_SECONDS),
                    Quantity.whole("--seed", seed, 0, Long.MAX_VALUE));
        });
        surroundings.interruption().allow(SECONDS_TO_END);
        boolean good = performance.play(
                spec.commandLine().getOut(),
                surroundings.screen(),
                surroundings.interruption(),
                surroundings.environment());
        return good ? ExitCode.FINE : ExitCode.ERROR;
    }
}
