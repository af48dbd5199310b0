package dev.fermata.sim.trace.acme;

import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.Row;
import dev.fermata.sim.trace.text.RowReader;
import java.io.IOException;
import java.util.List;

/**
 * {@code job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,…}: dates with their
 * offset from UTC, seconds. Its {@code queue} is how long the job waited; the kind of work ({@code type}) becomes the name.
 */
public final class Acme implements TraceFormat {
    private static final List<String> COLUMNS = List.of(
            "job_id",
            "user",
            "node_num",
            "gpu_num",
            "cpu_num",
            "type",
            "state",
            "submit_time",
            "start_time",
            "duration");
    private static final double MIB_PER_GB = 1e9 / (1 << 20);

    @Override
    public String name() {
        return "acme";
    }

    @Override
    public String title() {
        return "Acme 2023 (Seren and Kalos)";
    }

    @Override
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS) && !head.columns().contains("vc");
    }

    @Override
    public boolean dated() {
        return true;
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        CsvTable.read(file, intake, header -> reader(header, intake));
    }

    private static RowReader reader(Header header, Intake intake) {
        Column id = header.need("job_id");
        Column user = header.need("user");
        Column type = header.need("type");
        Column cpus = header.need("cpu_num");
        Column nodes = header.need("node_num");
        Column memory = header.find("mem_per_pod_GB");
        JobColumns jobs = JobColumns.ofSlurm(header, intake);
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, row.text(id));
            if (job != null) {
                intake.keep(job.name(row.name(type, ""))
                        .user(row.name(user, "nobody"))
                        .cpuMilli(JobColumns.cpuMilli(row, cpus))
                        .memoryMib(row.knows(memory) ? memory(row, memory, nodes) : 0)
                        .build());
            }
        };
    }

    /** A pod has a node to itself. */
    private static long memory(Row row, Column perPod, Column nodes) {
        long pods = row.knows(nodes) ? row.whole(nodes, 1L, TraceRecord.MOST_GPUS) : 1;
        return (long) Math.ceil(pods * row.number(perPod, 0, 1e6) * MIB_PER_GB);
    }
}
