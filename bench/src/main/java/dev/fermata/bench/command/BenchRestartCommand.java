package dev.fermata.bench.command;

import dev.fermata.bench.measure.DaemonSpeed;
import dev.fermata.bench.measure.RestartSpeed;
import dev.fermata.cli.option.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata bench restart}: how long a daemon with many jobs takes to start again. */
@Command(
        name = "restart",
        description = "Restart of a daemon with many live and ended jobs, and the heap that they take.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench restart --live 10000 --ended 50000"})
final class BenchRestartCommand extends DataFolderCommand {
    @Option(
            names = "--live",
            paramLabel = "N",
            description = "Pending jobs (default: ${DEFAULT-VALUE}).",
            defaultValue = "100000")
    private int live;

    @Option(
            names = "--ended",
            paramLabel = "N",
            description = "Ended jobs (default: ${DEFAULT-VALUE}).",
            defaultValue = "1000000")
    private int ended;

    BenchRestartCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    List<DaemonSpeed.Measurement> measure(Path data, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        return RestartSpeed.measure(data, ended, live, stop, progress);
    }
}
