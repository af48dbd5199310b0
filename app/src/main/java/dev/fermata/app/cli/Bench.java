package dev.fermata.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code fermata bench}: measures the program itself. */
@Command(
        name = "bench",
        description =
                "Measure the program itself: speed of the simulator, of reading and of the store, latency of decisions and placements.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata bench sim --quick", "  fermata bench decide --policies srtf"})
final class Bench implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
