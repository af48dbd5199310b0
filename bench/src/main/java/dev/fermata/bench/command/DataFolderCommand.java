package dev.fermata.bench.command;

import dev.fermata.bench.measure.DaemonSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.OutputFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A benchmark of a daemon in a data folder of its own, which is removed unless the user names one. */
abstract class DataFolderCommand extends FermataCommand {
    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "Where the data is made, and stays; a history that is there already is measured again.")
    private @Nullable Path folder;

    @Mixin
    private OutputOptions output;

    DataFolderCommand(Invocation invocation) {
        super(invocation);
    }

    abstract List<DaemonSpeed.Measurement> measure(Path data, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException;

    @Override
    public final Integer call() throws InterruptedException {
        OutputFormat format = output.format();
        List<DaemonSpeed.Measurement> figures;
        Path named = folder;
        try {
            Path data = named != null ? Files.createDirectories(named) : Files.createTempDirectory("fermata-bench");
            try {
                figures = measure(data, () -> invocation.interruption().isRequested(), this::printProgress);
            } finally {
                if (named == null) {
                    BenchDaemonCommand.remove(data);
                }
            }
        } catch (IOException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), e);
        }
        BenchDaemonCommand.print(figures, format, out(), invocation.screen());
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private void printProgress(String what) {
        if (!output.quiet) {
            err().println(what + " …");
            err().flush();
        }
    }
}
