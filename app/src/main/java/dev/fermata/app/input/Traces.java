package dev.fermata.app.input;

import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.read.Formats;
import dev.fermata.sim.trace.read.TraceReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Traces, each read once however often a comparison needs it. Not thread-safe. */
public final class Traces {
    /** Stands for: look at the file. */
    public static final String DETECT = "auto";

    private final boolean lenient;
    private final Map<Path, Trace> read = new LinkedHashMap<>();

    /** @param lenient whether malformed records are passed over instead of ending everything */
    public Traces(boolean lenient) {
        this.lenient = lenient;
    }

    /** The format that was asked for, if any. */
    public static Optional<TraceFormat> format(String name) {
        return name.equals(DETECT) ? Optional.empty() : Optional.of(Formats.named(name));
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
    public List<String> words() {
        return read.values().stream().map(Trace::words).toList();
    }

    /** What was passed over because it could not be read. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        for (Trace trace : read.values()) {
            long malformed = trace.tally().malformed();
            if (malformed > 0) {
                warnings.add(malformed
                        + (malformed == 1 ? " malformed record was" : " malformed records were")
                        + " passed over; the first: " + trace.tally().firstMalformed());
            }
        }
        return warnings;
    }
}
