package dev.fermata.sim.trace.fermata;

import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.RowReader;
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

    /** Nobody else writes units like this; what is missing then is said by name. */
    @Override
    public boolean recognises(Head head) {
        return head.columns().contains("submit_s") || head.columns().contains("duration_s");
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        for (String column : header.names()) {
            if (!COLUMNS.contains(column)) {
                throw header.wrong("unknown column '" + column + "'." + Suggest.among(column, COLUMNS));
            }
        }
        for (String column : REQUIRED) {
            if (!header.names().contains(column)) {
                throw header.wrong("column '" + column + "' is missing; required: " + String.join(",", REQUIRED));
            }
        }
        FermataJob job = new FermataJob(header);
        Set<String> ids = new HashSet<>();
        return row -> intake.keep(job.read(row, ids));
    }
}
