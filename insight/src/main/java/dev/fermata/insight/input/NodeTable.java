package dev.fermata.insight.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.text.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cluster as operators publish it: CSV with a line for each machine, known by its columns. Machines without a GPU are
 * left out. Without switches in the table, all machines are in one rack; with them, a rack is one access switch.
 */
final class NodeTable {
    private static final int MAX_GPUS = 1_000_000;
    private static final double MILLI = 1000;
    private static final double GIB = 1024;
    /** The table of hosts says nothing of their GPUs: the common number. */
    private static final int DEFAULT_GPUS = 8;

    /** What the columns of a table are called, and what they count. */
    private enum TableLayout {
        /** Alibaba's node list of 2023. */
        NODES("sn,cpu_milli,memory_mib,gpu,model"),
        /** Alibaba PAI's machine specification of 2020, published without a header: CPUs and GiB. */
        MACHINES("machine,gpu_type,cap_cpu,cap_mem,cap_gpu"),
        /** Hosts of a Clos network by their switches, the access switch last; its name is its own only under its aggregation switch. */
        HOSTS("ip,DSW,PSW,ASW");

        private final String header;

        TableLayout(String header) {
            this.header = header;
        }

        List<String> columns() {
            return List.of(header.split(",", -1));
        }
    }

    /** One row, read by column name. */
    private record NodeRow(Path file, TableLayout layout, CsvRecord line) {
        String text(String column) {
            String text = line.getField(layout.columns().indexOf(column)).strip();
            if (text.isEmpty()) {
                throw error(column, text, "is missing");
            }
            return text;
        }

        long amount(String column, double unit, double max) {
            String text = text(column);
            try {
                return Math.round(Quantity.number(column, text, 0, max) * unit);
            } catch (IllegalArgumentException e) {
                throw error(column, text, "must be a number from 0 to " + (long) max);
            }
        }

        int gpus(String column) {
            long gpus = amount(column, 1, MAX_GPUS);
            if (!text(column).matches("[0-9]+")) {
                throw error(column, text(column), "must be a whole number");
            }
            return (int) gpus;
        }

        IllegalArgumentException error(String column, String value, String rule) {
            return NodeTable.error(file, line.getStartingLineNumber(), column + " (" + value + ") " + rule);
        }
    }

    private record Machine(String name, GpuType type, int gpus, long cpuMilli, long memoryMib) {}

    private final Path file;
    private final Map<String, List<Machine>> racks = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private long gpus;

    private NodeTable(Path file) {
        this.file = file;
    }

    static Topology read(Path file) {
        try (CsvReader<CsvRecord> csv = CsvReader.builder()
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .ofCsvRecord(file)) {
            return new NodeTable(file).read(csv);
        } catch (CsvParseException | UncheckedIOException e) {
            throw new IllegalArgumentException(file + ": not readable as CSV: " + e.getMessage(), e);
        } catch (IOException e) {
            throw Quantity.invalid("--cluster", file.toString(), "cannot be read: " + e.getMessage());
        }
    }

    private Topology read(Iterable<CsvRecord> lines) {
        TableLayout layout = null;
        for (CsvRecord line : lines) {
            if (layout == null) {
                layout = layout(line);
                if (layout.columns().equals(line.getFields())) {
                    continue;
                }
            }
            if (line.getFieldCount() != layout.columns().size()) {
                throw error(
                        file,
                        line.getStartingLineNumber(),
                        line.getFieldCount() + " columns where "
                                + layout.columns().size() + " were expected: " + layout.header);
            }
            add(new NodeRow(file, layout, line));
        }
        if (racks.isEmpty()) {
            throw error(file, 1, "the table has no machine with a GPU");
        }
        Topology.Builder builder = Topology.builder();
        racks.forEach((rack, machines) -> {
            builder.rack(rack);
            machines.forEach(m -> builder.node(m.name, m.type, m.gpus, m.cpuMilli, m.memoryMib));
        });
        return builder.build();
    }

    private TableLayout layout(CsvRecord first) {
        for (TableLayout layout : TableLayout.values()) {
            if (layout.columns().equals(first.getFields())) {
                return layout;
            }
        }
        boolean bare = first.getFieldCount() == TableLayout.MACHINES.columns().size()
                && first.getFields().subList(2, 5).stream().allMatch(field -> field.matches("[0-9.]+"));
        if (bare) {
            return TableLayout.MACHINES;
        }
        throw error(
                file,
                1,
                "not a known table of machines; its columns must be "
                        + Arrays.stream(TableLayout.values()).map(l -> l.header).collect(Collectors.joining(" or ")));
    }

    private void add(NodeRow row) {
        switch (row.layout) {
            case NODES ->
                add(
                        row,
                        "rack0",
                        "sn",
                        row.gpus("gpu"),
                        "model",
                        row.amount("cpu_milli", 1, 1e9),
                        row.amount("memory_mib", 1, 1e12));
            case MACHINES ->
                add(
                        row,
                        "rack0",
                        "machine",
                        row.gpus("cap_gpu"),
                        "gpu_type",
                        row.amount("cap_cpu", MILLI, 1e6),
                        row.amount("cap_mem", GIB, 1e9));
            case HOSTS ->
                add(
                        row,
                        row.text("DSW") + "/" + row.text("PSW") + "/" + row.text("ASW"),
                        "ip",
                        DEFAULT_GPUS,
                        "",
                        Node.UNLIMITED,
                        Node.UNLIMITED);
        }
    }

    private void add(
            NodeRow row, String rack, String nameColumn, int count, String typeColumn, long cpus, long memory) {
        String name = row.text(nameColumn);
        if (!names.add(name)) {
            throw row.error(nameColumn, name, "is used twice");
        }
        if (count == 0) {
            return;
        }
        gpus += count;
        if (gpus > MAX_GPUS) {
            throw error(file, row.line.getStartingLineNumber(), "the cluster has more than " + MAX_GPUS + " GPUs");
        }
        GpuType type = typeColumn.isEmpty() ? GpuCatalogue.GENERIC : GpuCatalogue.byName(row.text(typeColumn));
        racks.computeIfAbsent(rack, r -> new ArrayList<>()).add(new Machine(name, type, count, cpus, memory));
    }

    private static IllegalArgumentException error(Path file, long line, String problem) {
        return new IllegalArgumentException(file + ":" + line + ": " + problem);
    }
}
