package dev.fermata.cli.demo;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OneTimeFlags;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata demo}: a daemon with a stream of small real trainings, to watch. */
@Command(
        name = "demo",
        description = {
            "Watch a daemon on virtual GPUs pause and resume real trainings.",
            "Small neural networks are paused for trial jobs; every paused job is compared with an unpaused run. Needs python3."
        },
        sortOptions = false,
        footer = {"", "Examples:", "  fermata demo", "  fermata demo --gpus 8 --seconds 60"})
public final class DemoCommand extends FermataCommand implements OneTimeFlags {
    private static final int MAX_GPUS = 64;
    private static final int MAX_SECONDS = 86_400;
    private static final int SECONDS_TO_END = 45;

    @Option(
            names = "--gpus",
            paramLabel = "N",
            defaultValue = "4",
            description = "Number of virtual GPUs (default: ${DEFAULT-VALUE}).")
    private String gpus;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Jobs arrive for this long, then all of them finish (default: until Ctrl-C).")
    private @Nullable String seconds;

    @Option(
            names = "--policy",
            paramLabel = "P",
            defaultValue = "fermata",
            completionCandidates = PolicyNames.class,
            description =
                    "The policy: a name of fermata policies, with parameters or without (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the jobs and their arrivals (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The daemon's folder, to look into afterwards (default: a temporary one, removed).")
    private @Nullable Path data;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    boolean verbose;

    public DemoCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        DemoRun demoRun = UserError.wrapInvalid(() -> {
            PolicySpec.parse(policy);
            return new DemoRun(
                    data,
                    (int) Quantity.integer("--gpus", gpus, 1, MAX_GPUS),
                    policy,
                    seconds == null ? 0 : (int) Quantity.integer("--seconds", seconds, 1, MAX_SECONDS),
                    Quantity.integer("--seed", seed, 0, Long.MAX_VALUE));
        });
        invocation.interruption().setTimeout(SECONDS_TO_END);
        boolean good = demoRun.run(out(), invocation.screen(), invocation.interruption(), invocation.environment());
        return good ? ExitCode.OK : ExitCode.ERROR;
    }
}
