package dev.fermata.sim.trace.tiresias;

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

/** {@code job_id,num_gpu,submit_time,iterations,model_name,duration,interval}: seconds since the first submission. */
public final class Tiresias implements TraceFormat {
    private static final List<String> COLUMNS =
            List.of("job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "interval");

    @Override
    public String name() {
        return "tiresias";
    }

    @Override
    public String title() {
        return "Tiresias' simulator";
    }

    @Override
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS) && !head.columns().contains("iteration_time");
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        Column id = header.need("job_id");
        Column model = header.need("model_name");
        Column iterations = header.need("iterations");
        JobColumns jobs = new JobColumns(
                intake,
                header.need("num_gpu"),
                JobColumns.elapsed(header.need("submit_time"), 1000),
                JobColumns.length(header.need("duration"), 1000));
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, row.text(id));
            if (job != null) {
                intake.keep(job.model(row.name(model, ""))
                        .iterations(row.whole(iterations, 0, TraceRecord.MOST_ITERATIONS))
                        .build());
            }
        };
    }
}
