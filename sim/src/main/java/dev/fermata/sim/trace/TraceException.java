package dev.fermata.sim.trace;

import java.nio.file.Path;

/** A record or a file that cannot be read: names file, line, field, value and rule. */
public final class TraceException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private static final int MAX_QUOTE = 80;

    public TraceException(Path file, long line, String field, String value, String rule) {
        super(file + ":" + line + ": " + field + " (" + quote(value) + ") " + rule);
    }

    public TraceException(Path file, long line, String problem) {
        super(file + ":" + line + ": " + problem);
    }

    public TraceException(Path file, String problem) {
        super(file + ": " + problem);
    }

    /** Fit for a terminal: what does not print is replaced, and only the beginning of a long text is shown. */
    public static String quote(String text) {
        String start = text.length() <= MAX_QUOTE ? text : text.substring(0, MAX_QUOTE) + "…";
        StringBuilder clean = new StringBuilder(start.length());
        start.codePoints().map(c -> Character.isISOControl(c) ? '?' : c).forEach(clean::appendCodePoint);
        return clean.toString();
    }
}
