package dev.fermata.research.judge;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.fermata.insight.input.ModelErrorInput;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the cells and the bars. The bars are part of the program: they are fixed before a run. */
public final class JudgeFiles {
    private JudgeFiles() {}

    /** A bar that a result must meet. */
    public record Bar(String name, double limit, String meaning) {}

    /** The bars by name, in their order. */
    public static Map<String, Bar> bars() {
        Map<String, Bar> bars = new LinkedHashMap<>();
        for (NamedCsvRecord line : lines(resource("bars.csv"), "bars.csv")) {
            Bar bar =
                    new Bar(line.getField("bar"), Double.parseDouble(line.getField("limit")), line.getField("meaning"));
            bars.put(bar.name(), bar);
        }
        return bars;
    }

    /**
     * The cells of the protocol, or of a user's file with the same columns. A cell of the protocol whose trace is not in the
     * folder is left out; one of the user's file must be there.
     */
    public static List<JudgeCell> cells(@Nullable Path file, @Nullable Path folder) {
        List<JudgeCell> found = new ArrayList<>();
        for (JudgeCell cell : file == null ? cells(resource("cells.csv"), "cells.csv") : cells(file)) {
            JudgeCell there = cell.isGenerated() || folder != null || file != null ? cell.in(folder) : null;
            if (there != null) {
                found.add(there);
            } else if (file != null) {
                throw new IllegalArgumentException("cell '" + cell.name() + "': there is no file '" + cell.workload()
                        + "'. Maybe --data names the wrong folder?");
            }
        }
        return found;
    }

    private static List<JudgeCell> cells(Path file) {
        try {
            return cells(Files.readString(file), file.toString());
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read '" + file + "': " + e.getMessage(), e);
        }
    }

    private static List<JudgeCell> cells(String text, String name) {
        List<JudgeCell> cells = new ArrayList<>();
        for (NamedCsvRecord line : lines(text, name)) {
            cells.add(new JudgeCell(
                    field(line, "cell", name),
                    field(line, "cluster", name),
                    field(line, "workload", name),
                    line.findField("costs").filter(c -> !c.isBlank()).orElse("profiles"),
                    line.findField("models").filter(m -> !m.isBlank()).orElse("rule"),
                    ModelErrorInput.NONE));
        }
        if (cells.isEmpty()) {
            throw new IllegalArgumentException("'" + name + "' names no cell");
        }
        return cells;
    }

    private static String field(NamedCsvRecord line, String column, String name) {
        return line.findField(column)
                .filter(value -> !value.isBlank())
                .orElseThrow(() -> new IllegalArgumentException("'" + name + "', line " + line.getStartingLineNumber()
                        + ": '" + column + "' is missing; the columns are cell,cluster,workload,costs,models"));
    }

    private static List<NamedCsvRecord> lines(String text, String name) {
        try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(text)) {
            return reader.stream().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("'" + name + "' is no CSV: " + e.getMessage(), e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = JudgeFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
