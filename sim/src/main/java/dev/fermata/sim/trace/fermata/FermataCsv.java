package dev.fermata.sim.trace.fermata;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceHeader;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Fermata's own trace: CSV with a header, columns in any order, the first four required, seconds since a zero of its own. Here
 * nothing is dropped: what is no job is a mistake, and so is an id used twice.
 */
public final class FermataCsv implements TraceFormat {
    static final List<String> REQUIRED = List.of("id", "submit_s", "gpus", "duration_s");
    static final List<String> COLUMNS = List.of(
            "id",
            "submit_s",
            "gpus",
            "duration_s",
            "name",
            "user",
            "queue",
            "class",
            "model",
            "batch",
            "gpu_type",
            "gpu_mem_mib",
            "cpus",
            "mem_mib",
            "min_gpus",
            "max_gpus",
            "grace_s",
            "iterations",
            "declared_s",
            "priority",
            "gpu_milli",
            "after",
            "array",
            "array_limit");

    @Override
    public String name() {
        return "fermata";
    }

    @Override
    public String title() {
        return "Fermata's own CSV";
    }

    /** No other format writes units like this; a missing column is then named. */
    @Override
    public boolean matches(FileHead head) {
        return head.columns().contains("submit_s") || head.columns().contains("duration_s");
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        CsvTable.read(file, collector, header -> reader(header, collector));
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        for (String column : header.names()) {
            if (!COLUMNS.contains(column)) {
                throw header.error("unknown column '" + column + "'." + Suggestion.didYouMean(column, COLUMNS));
            }
        }
        for (String column : REQUIRED) {
            if (!header.names().contains(column)) {
                throw header.error("column '" + column + "' is missing; required: " + String.join(",", REQUIRED));
            }
        }
        FermataCsvRow job = new FermataCsvRow(header);
        Set<String> ids = new HashSet<>();
        return row -> collector.add(job.read(row, ids));
    }
}
