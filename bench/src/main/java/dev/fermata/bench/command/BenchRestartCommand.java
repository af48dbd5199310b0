package dev.fermata.bench.command;

import dev.fermata.bench.measure.DaemonSpeed;
import dev.fermata.bench.measure.RestartSpeed;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench restart}: how long a daemon with many jobs takes to start again. */
@Command(
        name = "restart",
        description = "Restart of a daemon with many live and ended jobs, and the heap that they take.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench restart --live 10000 --ended 50000"})
final class BenchRestartCommand extends FermataCommand {
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

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "Where the history is made, and stays; one that is there already is measured again.")
    private @Nullable Path folder;

    @Mixin
    private OutputOptions output;

    BenchRestartCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() throws InterruptedException {
        OutputFormat format = output.format();
        List<DaemonSpeed.Measurement> figures;
        try {
            Path data = folder != null ? Files.createDirectories(folder) : Files.createTempDirectory("fermata-restart");
            try {
                figures = RestartSpeed.measure(
                        data, ended, live, () -> invocation.interruption().isRequested(), this::printProgress);
            } finally {
                if (folder == null) {
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
