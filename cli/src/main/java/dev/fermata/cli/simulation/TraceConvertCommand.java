package dev.fermata.cli.simulation;

import dev.fermata.cli.option.TraceOptions;
import dev.fermata.cli.option.Version;
import dev.fermata.insight.exit.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata trace convert}: the same jobs in Fermata's own CSV. */
@Command(
        name = "convert",
        description = "Write a trace of any format, or a part of it, as Fermata's own CSV.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata trace convert cluster_job_log.json --out jobs.csv.gz"})
public final class TraceConvertCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The trace, or a folder of them.")
    private String file;

    @Mixin
    private TraceOptions trace;

    @Mixin
    private TraceOutput output;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        output.check(file);
        output.write(trace.read(file, output.quiet, err), spec.commandLine());
        return ExitCode.OK;
    }
}
