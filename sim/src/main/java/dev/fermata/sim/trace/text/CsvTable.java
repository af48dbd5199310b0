package dev.fermata.sim.trace.text;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFile;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Comma-separated values, row by row. */
public final class CsvTable {
    private final TraceFile file;
    private final TraceCollector collector;
    private final Function<TraceHeader, RowReader> columns;
    private @Nullable TraceHeader header;
    private RowReader reader = row -> {};

    private CsvTable(TraceFile file, TraceCollector collector, Function<TraceHeader, RowReader> columns) {
        this.file = file;
        this.collector = collector;
        this.columns = columns;
    }

    /**
     * A table whose first line names its columns. The function receives them once and returns the reader of the rows.
     */
    public static void read(TraceFile file, TraceCollector collector, Function<TraceHeader, RowReader> columns)
            throws IOException {
        new CsvTable(file, collector, columns).read();
    }

    /** A table without such a line; should it have one that begins with the first name, that is passed over. */
    public static void read(
            TraceFile file, List<String> names, TraceCollector collector, Function<TraceHeader, RowReader> columns)
            throws IOException {
        CsvTable table = new CsvTable(file, collector, columns);
        table.setHeader(new TraceHeader(file.path(), 1, names));
        table.read();
    }

    private void setHeader(TraceHeader names) {
        header = names;
        reader = columns.apply(names);
    }

    private void read() throws IOException {
        TraceRow row = new TraceRow(file.path());
        try (Reader text = file.open();
                CsvReader<TraceRow> csv = CsvReader.builder()
                        .skipEmptyLines(false)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .build(new RowFiller(row), text)) {
            for (TraceRow next : csv) {
                accept(next);
            }
        } catch (CsvParseException e) {
            if (e.getCause() instanceof TraceException problem) {
                throw problem;
            }
            throw e.getMessage() != null && e.getMessage().startsWith("The maximum buffer size")
                    ? TraceRow.tooLong(file.path(), row.line())
                    : new TraceException(
                            file.path(), Math.max(1, row.line()), "not readable as CSV: " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
    }

    private void accept(TraceRow row) {
        TraceHeader names = header;
        if (row.isBlank()) {
            if (names != null) {
                collector.countBlankRow();
            }
        } else if (names == null) {
            setHeader(header(row));
        } else if (!(row.line() == 1
                && row.text(new TraceColumn("", 0)).equals(names.names().get(0)))) {
            try {
                row.requireWidth(names);
                reader.read(row);
            } catch (TraceException e) {
                collector.reject(e);
            }
        }
    }

    private TraceHeader header(TraceRow row) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < row.cells(); i++) {
            names.add(row.text(new TraceColumn("", i)));
        }
        return new TraceHeader(file.path(), row.line(), names);
    }

    /** Puts what the parser finds into the row. */
    private static final class RowFiller extends AbstractBaseCsvCallbackHandler<TraceRow> {
        private final TraceRow row;

        RowFiller(TraceRow row) {
            this.row = row;
        }

        @Override
        protected void handleBegin(long startingLineNumber) {
            row.begin(startingLineNumber);
        }

        @Override
        protected void handleField(int fieldIdx, char[] buf, int offset, int len, boolean quoted) {
            row.add(buf, offset, len);
        }

        @Override
        protected TraceRow buildRecord() {
            return row;
        }
    }
}
