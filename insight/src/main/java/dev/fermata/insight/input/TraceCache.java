package dev.fermata.insight.input;

import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.read.TraceFormats;
import dev.fermata.sim.trace.read.TraceReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Traces, each read once however often a comparison needs it. Not thread-safe. */
public final class TraceCache {
    /** Requests that the format is detected from the file. */
    public static final String DETECT = "auto";

    private final boolean lenient;
    private final Map<Path, Trace> read = new LinkedHashMap<>();

    /** @param lenient whether malformed records are skipped instead of ending the command */
    public TraceCache(boolean lenient) {
        this.lenient = lenient;
    }

    /** The requested format, if any. */
    public static Optional<TraceFormat> format(String name) {
        return name.equals(DETECT) ? Optional.empty() : Optional.of(TraceFormats.named(name));
    }

    public Trace read(Path path, Optional<TraceFormat> format) {
        Trace known = read.get(path);
        if (known == null) {
            known = new TraceReader(format, lenient).read(path);
            read.put(path, known);
        }
        return known;
    }

    /** What was read, a line for each trace. */
    public List<String> summaries() {
        return read.values().stream().map(Trace::describe).toList();
    }

    /** What was skipped because it could not be read. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        for (Trace trace : read.values()) {
            long malformed = trace.readSummary().malformed();
            if (malformed > 0) {
                warnings.add(malformed
                        + (malformed == 1 ? " malformed record was" : " malformed records were")
                        + " passed over; the first: " + trace.readSummary().firstMalformed());
            }
        }
        return warnings;
    }
}
