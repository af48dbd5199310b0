package dev.fermata.sim.trace;

import java.nio.file.Path;

/** A record that cannot be read: names file, line, field, value and rule. */
public final class TraceException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public TraceException(Path file, long line, String field, String value, String rule) {
        super(file + ":" + line + ": " + field + " (" + value + ") " + rule);
    }

    public TraceException(Path file, long line, String problem) {
        super(file + ":" + line + ": " + problem);
    }
}
