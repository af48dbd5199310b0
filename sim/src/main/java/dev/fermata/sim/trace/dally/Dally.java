package dev.fermata.sim.trace.dally;

import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.JsonTable;
import dev.fermata.sim.trace.text.RowReader;
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
    private static final double MOST_SECONDS = 1e9;

    @Override
    public String name() {
        return "dally";
    }

    @Override
    public String title() {
        return "Dally's simulator, JSON";
    }

    @Override
    public boolean recognises(Head head) {
        return head.jsonKeys().containsAll(KEYS);
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        JsonTable.read(file, COLUMNS, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        Column id = header.need("job_id");
        Column user = header.need("user");
        Column cpus = header.need("cpu_num");
        Column model = header.need("model");
        Column batch = header.need("batchsize");
        Column memory = header.need("gmem");
        Column gpus = header.need("max_parallelism");
        Column iterations = header.need("total_iterations");
        Column seconds = header.need("time_per_iteration");
        JobColumns jobs = new JobColumns(
                intake,
                gpus,
                JobColumns.elapsed(header.need("arrival_time"), 1000),
                row -> Math.round(1000.0
                        * row.whole(iterations, 0, TraceRecord.MOST_ITERATIONS)
                        * row.number(seconds, 0, MOST_SECONDS)
                        / row.whole(gpus, 1, TraceRecord.MOST_GPUS)));
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, row.text(id));
            if (job != null) {
                intake.keep(job.user(row.name(user, "nobody"))
                        .cpuMilli(JobColumns.cpuMilli(row, cpus))
                        .model(row.knows(model) ? row.name(model, "") : "")
                        .batch(row.knows(batch) ? row.whole(batch, 0, TraceRecord.MOST_BATCH) : 0)
                        .gpuMemoryMib(
                                row.knows(memory) ? (int) Math.ceil(row.number(memory, 0, 1e7)) : TraceRecord.UNKNOWN)
                        .iterations(row.whole(iterations, 0, TraceRecord.MOST_ITERATIONS))
                        .build());
            }
        };
    }
}
