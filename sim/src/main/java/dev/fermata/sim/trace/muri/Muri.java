package dev.fermata.sim.trace.muri;

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

/**
 * {@code job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,…}: all times in milliseconds. Its column
 * {@code priority} says which of two random halves a job is in, not whom anybody prefers, and is left out.
 */
public final class Muri implements TraceFormat {
    private static final List<String> COLUMNS = List.of(
            "job_id",
            "num_gpu",
            "submit_time",
            "iterations",
            "model_name",
            "batch_size",
            "duration",
            "iteration_time",
            "resource_time_0");

    @Override
    public String name() {
        return "muri";
    }

    @Override
    public String title() {
        return "Muri's simulator, milliseconds";
    }

    @Override
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        Column id = header.need("job_id");
        Column model = header.need("model_name");
        Column batch = header.need("batch_size");
        Column iterations = header.need("iterations");
        JobColumns jobs = new JobColumns(
                intake,
                header.need("num_gpu"),
                JobColumns.elapsed(header.need("submit_time"), 1),
                JobColumns.length(header.need("duration"), 1));
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, row.text(id));
            if (job != null) {
                intake.keep(job.model(row.name(model, ""))
                        .batch(row.whole(batch, 0, TraceRecord.MOST_BATCH))
                        .iterations(row.whole(iterations, 0, TraceRecord.MOST_ITERATIONS))
                        .build());
            }
        };
    }
}
