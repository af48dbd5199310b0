package dev.fermata.sim.trace.text;

import dev.fermata.core.policy.PlainNumber;
import dev.fermata.sim.trace.TraceException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;

/**
 * One record of a table. There is one row for the whole table, filled again for every record. Cells are characters
 * until a text is requested, which keeps reading fast and its memory small.
 */
public final class TraceRow {
    public static final String DATE_RULE = "must be a date and time such as 2017-10-09 07:01:48";
    static final int MAX_CHARS = 1 << 20;
    private static final int MAX_CELLS = 10_000;
    private static final int MAX_EXACT_DIGITS = 15;
    private static final double[] POWERS = new double[MAX_EXACT_DIGITS + 1];
    private static final Set<String> UNKNOWN = Set.of("None", "none", "null", "NULL", "nan", "NaN", "NaT", "NA", "N/A");

    static {
        Arrays.setAll(POWERS, k -> Math.pow(10, k));
    }

    private final Path file;
    private final StringPool names = new StringPool();
    private char[] chars = new char[512];
    private int[] ends = new int[32];
    private int cells;
    private long line;

    TraceRow(Path file) {
        this.file = file;
    }

    void begin(long number) {
        line = number;
        cells = 0;
    }

    /** Spaces around a cell do not belong to it. */
    void add(char[] source, int offset, int length) {
        int from = offset;
        int to = offset + length;
        while (from < to && source[from] <= ' ') {
            from++;
        }
        while (to > from && source[to - 1] <= ' ') {
            to--;
        }
        int start = cells == 0 ? 0 : ends[cells - 1];
        int end = start + to - from;
        if (end > MAX_CHARS || cells >= MAX_CELLS) {
            throw tooLong(file, line);
        }
        if (end > chars.length) {
            chars = Arrays.copyOf(chars, Math.max(2 * chars.length, end));
        }
        if (cells == ends.length) {
            ends = Arrays.copyOf(ends, 2 * cells);
        }
        System.arraycopy(source, from, chars, start, to - from);
        ends[cells++] = end;
    }

    static TraceException tooLong(Path file, long line) {
        return new TraceException(
                file,
                line,
                "the line has more than " + MAX_CHARS + " characters or " + MAX_CELLS
                        + " cells: no trace, or a quote that is never closed");
    }

    /** Rejects a row whose length differs from the header. */
    void requireWidth(TraceHeader header) {
        int columns = header.names().size();
        if (cells != columns) {
            throw error("the row has " + cells + " cells, and there are " + columns + " columns ("
                    + String.join(",", header.names()) + ")");
        }
    }

    void add(String text) {
        add(text.toCharArray(), 0, text.length());
    }

    public int cells() {
        return cells;
    }

    public long line() {
        return line;
    }

    /** Whether nothing at all is written in it. */
    boolean isBlank() {
        return cells == 0 || ends[cells - 1] == 0;
    }

    /** Whether something is written there. */
    public boolean has(TraceColumn column) {
        int c = column.index();
        return c >= 0 && c < cells && from(c) < ends[c];
    }

    /** Whether something is written there that does not mean "unknown". */
    public boolean hasValue(TraceColumn column) {
        if (!has(column)) {
            return false;
        }
        int from = from(column.index());
        int length = ends[column.index()] - from;
        boolean digit = chars[from] >= '0' && chars[from] <= '9';
        return digit || length > 4 || !UNKNOWN.contains(new String(chars, from, length));
    }

    public String text(TraceColumn column) {
        int c = column.index();
        return has(column) ? new String(chars, from(c), ends[c] - from(c)) : "";
    }

    /** A text that many rows share. */
    public String pooledText(TraceColumn column, String fallback) {
        int c = column.index();
        return has(column) ? names.pool(chars, from(c), ends[c]) : fallback;
    }

    /** The same with a word in front, such as {@code user7}. */
    public String prefixed(String word, TraceColumn column) {
        return pooled(word + text(column));
    }

    /** The same text, kept once however many rows have it. */
    public String pooled(String text) {
        return names.pool(text.toCharArray(), 0, text.length());
    }

    public TraceException error(TraceColumn column, String rule) {
        return new TraceException(file, line, column.name(), text(column), rule);
    }

    public TraceException error(String field, String value, String rule) {
        return new TraceException(file, line, field, value, rule);
    }

    public TraceException error(String problem) {
        return new TraceException(file, line, problem);
    }

    public double number(TraceColumn column, double min, double max) {
        double value = parse(column);
        if (!(value >= min && value <= max)) {
            throw error(column, "must be from " + formatNumber(min) + " to " + formatNumber(max));
        }
        return value;
    }

    /** A number with nothing behind the point. */
    public long integer(TraceColumn column, long min, long max) {
        double value = number(column, (double) min, (double) max);
        if (value != Math.rint(value)) {
            throw error(column, "must be a whole number");
        }
        return (long) value;
    }

    public int integer(TraceColumn column, int min, int max) {
        return (int) integer(column, (long) min, (long) max);
    }

    /** Milliseconds since 1970. */
    public long timestamp(TraceColumn column) {
        int c = column.index();
        long millis = has(column) ? Timestamp.parse(chars, from(c), ends[c]) : Timestamp.NONE;
        if (millis == Timestamp.NONE) {
            throw error(column, DATE_RULE);
        }
        return millis;
    }

    private double parse(TraceColumn column) {
        if (!has(column)) {
            throw error(column, "must be a number");
        }
        int from = from(column.index());
        int to = ends[column.index()];
        boolean negative = chars[from] == '-';
        long digits = 0;
        int count = 0;
        int decimals = -1;
        for (int i = negative ? from + 1 : from; i < to; i++) {
            char c = chars[i];
            if (c >= '0' && c <= '9' && count < MAX_EXACT_DIGITS) {
                digits = digits * 10 + c - '0';
                count++;
                decimals += decimals >= 0 ? 1 : 0;
            } else if (c == '.' && decimals < 0) {
                decimals = 0;
            } else {
                return parseSlowly(column);
            }
        }
        if (count == 0) {
            return parseSlowly(column);
        }
        // Both are exact, so their quotient is the number nearest to what is written.
        double value = digits / POWERS[Math.max(0, decimals)];
        return negative ? -value : value;
    }

    private double parseSlowly(TraceColumn column) {
        try {
            return PlainNumber.parse(text(column));
        } catch (NumberFormatException e) {
            throw error(column, "must be a number");
        }
    }

    private int from(int cell) {
        return cell == 0 ? 0 : ends[cell - 1];
    }

    private static String formatNumber(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
