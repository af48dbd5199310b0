package dev.fermata.bench.command;

import dev.fermata.bench.measure.ClientsSpeed;
import dev.fermata.bench.measure.DaemonSpeed;
import dev.fermata.cli.option.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata bench clients}: many users of one daemon. */
@Command(
        name = "clients",
        description = "Many users that submit, list and follow events at once, also while one floods the daemon.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench clients --clients 50 --seconds 10"})
final class BenchClientsCommand extends DataFolderCommand {
    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Users (default: ${DEFAULT-VALUE}).",
            defaultValue = "200")
    private int clients;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long, without and with a flood (default: ${DEFAULT-VALUE}).",
            defaultValue = "20")
    private int seconds;

    BenchClientsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    List<DaemonSpeed.Measurement> measure(Path data, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        return ClientsSpeed.measure(data, clients, seconds, stop, progress);
    }
}
