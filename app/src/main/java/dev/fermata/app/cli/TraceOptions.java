package dev.fermata.app.cli;

import dev.fermata.app.input.Traces;
import dev.fermata.sim.trace.read.Formats;
import java.util.ArrayList;
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

    Traces traces() {
        return new Traces(lenient);
    }
}
