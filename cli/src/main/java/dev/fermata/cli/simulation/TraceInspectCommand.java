package dev.fermata.cli.simulation;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.TraceOptions;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.SelectedTrace;
import dev.fermata.report.summary.TraceFields;
import dev.fermata.report.summary.TraceOverview;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.sim.trace.inspect.TraceStatistics;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata trace inspect}: a summary of a trace. */
@Command(
        name = "inspect",
        description = "Show what is in a trace: jobs, span, sizes, run times, users, load.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata trace inspect cluster_log.csv --cluster 64x8:V100"})
public final class TraceInspectCommand extends FermataCommand {
    @Parameters(paramLabel = "FILE", description = "The trace, or a folder of them.")
    private String file;

    @Option(names = "--cluster", paramLabel = "SPEC", description = "Also show the load against this cluster.")
    private @Nullable String cluster;

    @Mixin
    private TraceOptions trace;

    @Mixin
    private OutputOptions output;

    public TraceInspectCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        String named = cluster;
        Optional<ClusterInput> against =
                named == null ? Optional.empty() : Optional.of(UserError.wrapInvalid(() -> ClusterInput.parse(named)));
        SelectedTrace part = trace.read(file, true, err());
        TraceStatistics statistics =
                new TraceStatistics(part.records(), part.jobs(), part.trace().date());
        if (format.isHumanReadable()) {
            new TraceOverview(part, statistics, against, invocation.screen(), out()).print(format == OutputFormat.WIDE);
        } else {
            StructuredOutput.write(format, TraceFields.of(part, statistics, against), out());
        }
        return ExitCode.OK;
    }
}
