package dev.fermata.sim.trace.acme;

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
import dev.fermata.sim.trace.text.TraceRow;
import java.io.IOException;
import java.util.List;

/**
 * {@code job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,…}: dates with
 * their offset from UTC, seconds. Its {@code queue} is how long the job waited; the type of work ({@code type}) becomes
 * the name.
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
    public boolean matches(FileHead head) {
        return head.columns().containsAll(COLUMNS) && !head.columns().contains("vc");
    }

    @Override
    public boolean hasDates() {
        return true;
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        CsvTable.read(file, collector, header -> reader(header, collector));
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        TraceColumn id = header.require("job_id");
        TraceColumn user = header.require("user");
        TraceColumn type = header.require("type");
        TraceColumn cpus = header.require("cpu_num");
        TraceColumn nodes = header.require("node_num");
        TraceColumn memory = header.find("mem_per_pod_GB");
        JobColumns jobs = JobColumns.ofSlurm(header, collector);
        return row -> {
            TraceRecord.Builder job = jobs.startRecord(row, row.text(id));
            if (job != null) {
                collector.add(job.name(row.pooledText(type, ""))
                        .user(row.pooledText(user, TraceRecord.NO_USER))
                        .cpuMilli(JobColumns.cpuMilli(row, cpus))
                        .memoryMib(row.hasValue(memory) ? memory(row, memory, nodes) : 0)
                        .build());
            }
        };
    }

    /** A pod has a node to itself. */
    private static long memory(TraceRow row, TraceColumn perPod, TraceColumn nodes) {
        long pods = row.hasValue(nodes) ? row.integer(nodes, 1L, TraceRecord.MAX_GPUS) : 1;
        return (long) Math.ceil(pods * row.number(perPod, 0, 1e6) * MIB_PER_GB);
    }
}
