package dev.fermata.sim.profile;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A table of the catalogue, stored next to the classes. */
final class CatalogueTable {
    /** One row; an empty cell is no number. */
    record CatalogueRow(NamedCsvRecord cells) {
        String text(String column) {
            return cells.getField(column);
        }

        List<String> list(String column) {
            return text(column).isEmpty() ? List.of() : List.of(text(column).split("\\|", -1));
        }

        double number(String column) {
            return text(column).isEmpty() ? Double.NaN : Double.parseDouble(text(column));
        }

        int integer(String column) {
            return Integer.parseInt(text(column));
        }
    }

    private CatalogueTable() {}

    static List<CatalogueRow> read(String name) {
        try (InputStream bytes = CatalogueTable.class.getResourceAsStream(name)) {
            if (bytes == null) {
                throw new IllegalStateException("table '" + name + "' is missing from the program");
            }
            InputStreamReader reader = new InputStreamReader(bytes, StandardCharsets.UTF_8);
            return CsvReader.builder().ofNamedCsvRecord(reader).stream()
                    .map(CatalogueRow::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
