package dev.fermata.sim.trace.muri;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import java.io.IOException;
import java.util.List;

/**
 * {@code job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,…}: all times in milliseconds. Its column
 * {@code priority} says which of two random halves a job is in; it is no preference and is left out.
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
    public boolean matches(FileHead head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        CsvTable.read(file, collector, header -> reader(header, collector));
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        TraceColumn id = header.require("job_id");
        TraceColumn model = header.require("model_name");
        TraceColumn batch = header.require("batch_size");
        TraceColumn iterations = header.require("iterations");
        JobColumns jobs = new JobColumns(
                collector,
                header.require("num_gpu"),
                JobColumns.elapsed(header.require("submit_time"), 1),
                JobColumns.length(header.require("duration"), 1));
        return row -> {
            TraceRecord.Builder job = jobs.startRecord(row, row.text(id));
            if (job != null) {
                collector.add(job.model(row.pooledText(model, ""))
                        .batch(row.integer(batch, 0, TraceRecord.MAX_BATCH))
                        .iterations(row.integer(iterations, 0, TraceRecord.MAX_ITERATIONS))
                        .build());
            }
        };
    }
}
