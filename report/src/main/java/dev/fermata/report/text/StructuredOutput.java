package dev.fermata.report.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes records (maps in the order of their keys) as JSON, YAML or CSV. */
public final class StructuredOutput {
    private StructuredOutput() {}

    /** One record. */
    public static void write(OutputFormat format, Map<String, ?> fields, PrintWriter out) {
        if (format == OutputFormat.CSV) {
            csv(List.of(fields), out);
        } else {
            tree(format, fields, out);
        }
        out.flush();
    }

    /** A list of records. Where the format is a table, a record without a key that others have leaves its cell empty. */
    public static void write(OutputFormat format, List<? extends Map<String, ?>> records, PrintWriter out) {
        if (format == OutputFormat.CSV) {
            csv(records, out);
        } else {
            tree(format, records, out);
        }
        out.flush();
    }

    private static void tree(OutputFormat format, Object value, PrintWriter out) {
        ObjectMapper mapper = format == OutputFormat.YAML
                ? new ObjectMapper(YAMLFactory.builder()
                        .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                        .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                        // An attempt such as 12.10 is a name: read as a number it would become 12.1.
                        .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                        .build())
                : new ObjectMapper(new JsonFactory());
        mapper.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        try {
            out.print(
                    format == OutputFormat.YAML
                            ? mapper.writeValueAsString(value)
                            : mapper.writer(pretty()).writeValueAsString(value) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DefaultPrettyPrinter pretty() {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(
                Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER));
        printer.indentObjectsWith(lines);
        return printer;
    }

    private static void csv(List<? extends Map<String, ?>> records, PrintWriter out) {
        List<Map<String, String>> rows = new ArrayList<>();
        Set<String> columns = new LinkedHashSet<>();
        for (Map<String, ?> fields : records) {
            Map<String, String> flat = new LinkedHashMap<>();
            flatten("", fields, flat);
            rows.add(flat);
            columns.addAll(flat.keySet());
        }
        if (columns.isEmpty()) {
            return;
        }
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            csv.writeRecord(columns);
            for (Map<String, String> row : rows) {
                csv.writeRecord(columns.stream()
                        .map(column -> row.getOrDefault(column, ""))
                        .toList());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.print(text);
    }

    /** Keys of records inside records are joined by a dot. */
    private static void flatten(String prefix, Map<?, ?> fields, Map<String, String> flat) {
        fields.forEach((key, value) -> {
            if (value instanceof Map<?, ?> inner) {
                flatten(prefix + key + ".", inner, flat);
            } else {
                flat.put(prefix + key, value == null ? "" : value.toString());
            }
        });
    }
}
