package dev.fermata.sim.trace.philly;

import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.RowReader;
import java.io.IOException;
import java.util.List;

/** {@code timestamp,duration,num_gpus,gpu_time,cluster}: dates without a zone, seconds; the virtual cluster is the queue. */
public final class PhillyCsv implements TraceFormat {
    private static final List<String> COLUMNS = List.of("timestamp", "duration", "num_gpus", "gpu_time", "cluster");

    @Override
    public String name() {
        return "philly";
    }

    @Override
    public String title() {
        return "Microsoft Philly 2017, table of jobs";
    }

    @Override
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public boolean dated() {
        return true;
    }

    @Override
    public boolean inOrder() {
        return false; // there are no ids, and rows do not come in order of time
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        Column cluster = header.need("cluster");
        JobColumns jobs = new JobColumns(
                intake,
                header.need("num_gpus"),
                JobColumns.date(header.need("timestamp")),
                JobColumns.length(header.need("duration"), 1000));
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, "");
            if (job != null) {
                intake.keep(job.queue(row.name(cluster, "default")).build());
            }
        };
    }
}
