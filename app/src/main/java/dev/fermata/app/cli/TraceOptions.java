package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.Selection;
import dev.fermata.app.input.TracePart;
import dev.fermata.app.input.Traces;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.read.Formats;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How a trace is read. */
final class TraceOptions {
    /** For shell completion. */
    static final class Names extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Names() {
            super(Formats.names());
        }
    }

    @Option(
            names = "--format",
            paramLabel = "NAME",
            defaultValue = Traces.DETECT,
            completionCandidates = Names.class,
            description = {"Format of the trace instead of what its beginning looks like:", "${COMPLETION-CANDIDATES}."
            })
    String format;

    @Option(names = "--lenient", description = "Pass over records of the trace that cannot be read, and count them.")
    private boolean lenient;

    @Option(
            names = "--select",
            paramLabel = "PART",
            defaultValue = "",
            description = "Part of the workload: first=N; from=T,to=T; gpus<=N; vc=NAME. Joined by commas.")
    String select;

    /** The part of a trace that was asked for; what was read is said on stderr. */
    TracePart read(String path, boolean quiet, PrintWriter err) {
        Traces traces = traces();
        TracePart part = Complaint.ifInvalid(() -> {
            Selection selection = Selection.parse(select, "1");
            Optional<TraceFormat> asked = Traces.format(format);
            return TracePart.of(traces.read(Path.of(path), asked), selection);
        });
        Warnings.about(traces, quiet, err);
        return part;
    }

    Traces traces() {
        return new Traces(lenient);
    }
}
