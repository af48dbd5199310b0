package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.TracePart;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import dev.fermata.app.report.TraceFields;
import dev.fermata.app.report.TraceSheet;
import dev.fermata.sim.trace.inspect.TraceFacts;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata trace inspect}: what a person wants to know first. */
@Command(
        name = "inspect",
        description = "Show what is in a trace: jobs, span, sizes, run times, users, load.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata trace inspect cluster_log.csv --cluster 64x8:V100"})
final class TraceInspect implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The trace, or a folder of them.")
    private String file;

    @Option(names = "--cluster", paramLabel = "SPEC", description = "Also show the load against this cluster.")
    private @Nullable String cluster;

    @Mixin
    private TraceOptions trace;

    @Mixin
    private OutputOptions output;

    TraceInspect(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        String named = cluster;
        Optional<ClusterInput> against =
                named == null ? Optional.empty() : Optional.of(Complaint.ifInvalid(() -> ClusterInput.parse(named)));
        TracePart part = trace.read(file, true, spec.commandLine().getErr());
        TraceFacts facts =
                new TraceFacts(part.records(), part.jobs(), part.trace().date());
        if (format.forPeople()) {
            new TraceSheet(
                            part,
                            facts,
                            against,
                            surroundings.screen(),
                            spec.commandLine().getOut())
                    .print(format == Format.WIDE);
        } else {
            Structured.write(
                    format,
                    TraceFields.of(part, facts, against),
                    spec.commandLine().getOut());
        }
        return ExitCode.FINE;
    }
}
