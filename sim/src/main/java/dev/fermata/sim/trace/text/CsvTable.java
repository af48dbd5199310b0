package dev.fermata.sim.trace.text;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.fermata.sim.trace.Intake;
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
    private final Intake intake;
    private final Function<Header, RowReader> columns;
    private @Nullable Header header;
    private RowReader reader = row -> {};

    private CsvTable(TraceFile file, Intake intake, Function<Header, RowReader> columns) {
        this.file = file;
        this.intake = intake;
        this.columns = columns;
    }

    /** A table whose first line names its columns. The function sees them once and answers with what takes the rows. */
    public static void read(TraceFile file, Intake intake, Function<Header, RowReader> columns) throws IOException {
        new CsvTable(file, intake, columns).read();
    }

    /** A table without such a line; should it have one that begins with the first name, that is passed over. */
    public static void read(TraceFile file, List<String> names, Intake intake, Function<Header, RowReader> columns)
            throws IOException {
        CsvTable table = new CsvTable(file, intake, columns);
        table.name(new Header(file.path(), 1, names));
        table.read();
    }

    private void name(Header names) {
        header = names;
        reader = columns.apply(names);
    }

    private void read() throws IOException {
        Row row = new Row(file.path());
        try (Reader text = file.open();
                CsvReader<Row> csv = CsvReader.builder()
                        .skipEmptyLines(false)
                        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                        .build(new Filler(row), text)) {
            for (Row next : csv) {
                take(next);
            }
        } catch (CsvParseException e) {
            if (e.getCause() instanceof TraceException problem) {
                throw problem;
            }
            throw e.getMessage() != null && e.getMessage().startsWith("The maximum buffer size")
                    ? Row.tooLong(file.path(), row.line())
                    : new TraceException(
                            file.path(), Math.max(1, row.line()), "not readable as CSV: " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
    }

    private void take(Row row) {
        Header names = header;
        if (row.blank()) {
            if (names != null) {
                intake.blankRow();
            }
        } else if (names == null) {
            name(header(row));
        } else if (!(row.line() == 1
                && row.text(new Column("", 0)).equals(names.names().get(0)))) {
            try {
                row.mustHave(names);
                reader.read(row);
            } catch (TraceException e) {
                intake.malformed(e);
            }
        }
    }

    private Header header(Row row) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < row.cells(); i++) {
            names.add(row.text(new Column("", i)));
        }
        return new Header(file.path(), row.line(), names);
    }

    /** Puts what the parser finds into the row. */
    private static final class Filler extends AbstractBaseCsvCallbackHandler<Row> {
        private final Row row;

        Filler(Row row) {
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
        protected Row buildRecord() {
            return row;
        }
    }
}
