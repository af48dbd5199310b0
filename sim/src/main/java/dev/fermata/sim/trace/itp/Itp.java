package dev.fermata.sim.trace.itp;

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

/** {@code job_id,submission_time,duration,num_gpu}: seconds since a zero of its own. */
public final class Itp implements TraceFormat {
    private static final List<String> COLUMNS = List.of("job_id", "submission_time", "duration", "num_gpu");

    @Override
    public String name() {
        return "itp";
    }

    @Override
    public String title() {
        return "Microsoft ITP 2021 (ElasticFlow's traces)";
    }

    @Override
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public boolean inOrder() {
        return false; // the ids are random
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        Column id = header.need("job_id");
        JobColumns jobs = new JobColumns(
                intake,
                header.need("num_gpu"),
                JobColumns.elapsed(header.need("submission_time"), 1000),
                JobColumns.length(header.need("duration"), 1000));
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, row.text(id));
            if (job != null) {
                intake.keep(job.build());
            }
        };
    }
}
