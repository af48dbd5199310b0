package dev.fermata.cli.option;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.JobSelection;
import dev.fermata.insight.input.SelectedTrace;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.read.TraceFormats;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags for reading a trace. */
public final class TraceOptions {
    /** For shell completion. */
    static final class TraceFormatNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        TraceFormatNames() {
            super(TraceFormats.names());
        }
    }

    @Option(
            names = "--format",
            paramLabel = "NAME",
            defaultValue = TraceCache.DETECT,
            completionCandidates = TraceFormatNames.class,
            description = {"Format of the trace, instead of the detected one:", "${COMPLETION-CANDIDATES}."})
    public String format;

    @Option(names = "--lenient", description = "Pass over records of the trace that cannot be read, and count them.")
    private boolean lenient;

    @Option(
            names = "--select",
            paramLabel = "PART",
            defaultValue = "",
            description = "Part of the workload: first=N; from=T,to=T; gpus<=N; vc=NAME. Joined by commas.")
    public String select;

    /** The selected part of a trace; reports on stderr what was read. */
    public SelectedTrace read(String path, boolean quiet, PrintWriter err) {
        TraceCache traces = traces();
        SelectedTrace part = UserError.wrapInvalid(() -> {
            JobSelection selection = JobSelection.parse(select, "1");
            Optional<TraceFormat> requested = TraceCache.format(format);
            return SelectedTrace.of(traces.read(Path.of(path), requested), selection);
        });
        ResultWarnings.printFor(traces, quiet, err);
        return part;
    }

    public TraceCache traces() {
        return new TraceCache(lenient);
    }
}
