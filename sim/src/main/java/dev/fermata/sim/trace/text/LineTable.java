package dev.fermata.sim.trace.text;

import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFile;
import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Lines of cells without quotes and without a header: separated by tabs, or by any white space. */
public final class LineTable {
    private static final int BUFFER = 1 << 14;

    private final TraceFile file;
    private final TraceCollector collector;
    private final TraceHeader header;
    private final RowReader reader;
    private final boolean tabs;
    private final char comment;
    private final TraceRow row;
    private char[] line = new char[BUFFER];
    private int length;
    private long number = 1;

    private LineTable(
            TraceFile file,
            List<String> names,
            boolean tabs,
            char comment,
            TraceCollector collector,
            Function<TraceHeader, RowReader> columns) {
        this.file = file;
        this.collector = collector;
        this.tabs = tabs;
        this.comment = comment;
        this.header = new TraceHeader(file.path(), 1, names);
        this.reader = columns.apply(header);
        this.row = new TraceRow(file.path());
    }

    /** Cells separated by tabs; each may be empty or hold spaces. */
    public static void readTabs(
            TraceFile file, List<String> names, TraceCollector collector, Function<TraceHeader, RowReader> columns)
            throws IOException {
        new LineTable(file, names, true, '\0', collector, columns).read();
    }

    /** Cells separated by any number of spaces; lines whose first cell begins with a sign are comments. */
    public static void readSpaces(
            TraceFile file,
            List<String> names,
            char comment,
            TraceCollector collector,
            Function<TraceHeader, RowReader> columns)
            throws IOException {
        new LineTable(file, names, false, comment, collector, columns).read();
    }

    private void read() throws IOException {
        try (Reader text = file.open()) {
            char[] buffer = new char[BUFFER];
            int got = text.read(buffer);
            while (got >= 0) {
                for (int i = 0; i < got; i++) {
                    if (buffer[i] == '\n') {
                        end();
                        number++;
                    } else {
                        add(buffer[i]);
                    }
                }
                got = text.read(buffer);
            }
            if (length > 0) {
                end();
            }
        }
    }

    private void add(char c) {
        if (length == line.length) {
            if (length >= TraceRow.MAX_CHARS) {
                throw TraceRow.tooLong(file.path(), number);
            }
            line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = c;
    }

    private void end() {
        int to = length;
        length = 0;
        while (to > 0 && line[to - 1] == '\r') {
            to--;
        }
        row.begin(number);
        split(to);
        if (row.isBlank()) {
            collector.countBlankRow();
        } else if (!isComment(to)) {
            try {
                row.requireWidth(header);
                reader.read(row);
            } catch (TraceException e) {
                collector.reject(e);
            }
        }
    }

    private boolean isComment(int to) {
        int first = 0;
        while (first < to && line[first] <= ' ') {
            first++;
        }
        return first < to && line[first] == comment;
    }

    private void split(int to) {
        int from = 0;
        for (int i = 0; i <= to; i++) {
            boolean end = i == to || (tabs ? line[i] == '\t' : line[i] <= ' ');
            if (end && (tabs || i > from)) {
                row.add(line, from, i - from);
            }
            from = end ? i + 1 : from;
        }
    }
}
