package dev.fermata.sim.trace.dally;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.JsonTable;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import java.io.IOException;
import java.util.List;

/**
 * A JSON list of flat objects, all values texts. {@code total_iterations × time_per_iteration} is what one GPU would need, in
 * seconds; {@code max_parallelism} GPUs share it evenly. Dates, states and waits of the cluster the jobs once came from are
 * left out, and so is the speed lost between machines, which depends on the network here.
 */
public final class Dally implements TraceFormat {
    private static final List<String> KEYS =
            List.of("arrival_time", "max_parallelism", "total_iterations", "time_per_iteration");
    private static final List<String> COLUMNS = List.of(
            "arrival_time",
            "max_parallelism",
            "total_iterations",
            "time_per_iteration",
            "job_id",
            "user",
            "cpu_num",
            "model",
            "batchsize",
            "gmem");
    private static final double MAX_SECONDS = 1e9;

    @Override
    public String name() {
        return "dally";
    }

    @Override
    public String title() {
        return "Dally's simulator, JSON";
    }

    @Override
    public boolean matches(FileHead head) {
        return head.jsonKeys().containsAll(KEYS);
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        JsonTable.read(file, COLUMNS, collector, header -> reader(header, collector));
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        TraceColumn id = header.require("job_id");
        TraceColumn user = header.require("user");
        TraceColumn cpus = header.require("cpu_num");
        TraceColumn model = header.require("model");
        TraceColumn batch = header.require("batchsize");
        TraceColumn memory = header.require("gmem");
        TraceColumn gpus = header.require("max_parallelism");
        TraceColumn iterations = header.require("total_iterations");
        TraceColumn seconds = header.require("time_per_iteration");
        JobColumns jobs = new JobColumns(
                collector,
                gpus,
                JobColumns.elapsed(header.require("arrival_time"), 1000),
                row -> Math.round(1000.0
                        * row.integer(iterations, 0, TraceRecord.MAX_ITERATIONS)
                        * row.number(seconds, 0, MAX_SECONDS)
                        / row.integer(gpus, 1, TraceRecord.MAX_GPUS)));
        return row -> {
            TraceRecord.Builder job = jobs.startRecord(row, row.text(id));
            if (job != null) {
                collector.add(job.user(row.pooledText(user, TraceRecord.NO_USER))
                        .cpuMilli(JobColumns.cpuMilli(row, cpus))
                        .model(row.hasValue(model) ? row.pooledText(model, "") : "")
                        .batch(row.hasValue(batch) ? row.integer(batch, 0, TraceRecord.MAX_BATCH) : 0)
                        .gpuMemoryMib(
                                row.hasValue(memory)
                                        ? (int) Math.ceil(row.number(memory, 0, 1e7))
                                        : TraceRecord.UNKNOWN)
                        .iterations(row.integer(iterations, 0, TraceRecord.MAX_ITERATIONS))
                        .build());
            }
        };
    }
}
