package dev.fermata.bench.command;

import dev.fermata.bench.measure.DaemonSpeed;
import dev.fermata.bench.measure.SoakSpeed;
import dev.fermata.cli.option.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata bench soak}: a daemon with the history of months. */
@Command(
        name = "soak",
        description = "Restart, metrics and memory of a daemon on a history of months, made in virtual time.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench soak --jobs 50000 --days 60"})
final class BenchSoakCommand extends DataFolderCommand {
    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "Short jobs; half of them preempt another (default: ${DEFAULT-VALUE}).",
            defaultValue = "1000000")
    private int jobs;

    @Option(
            names = "--days",
            paramLabel = "N",
            description = "The time over which they are spread (default: ${DEFAULT-VALUE}).",
            defaultValue = "720")
    private int days;

    BenchSoakCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    List<DaemonSpeed.Measurement> measure(Path data, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        return SoakSpeed.measure(data, jobs, days, stop, progress);
    }
}
