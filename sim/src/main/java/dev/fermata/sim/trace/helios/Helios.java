package dev.fermata.sim.trace.helios;

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
 * {@code job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue}: dates without a
 * zone, seconds. Its {@code queue} is how long the job waited there; the virtual cluster is the queue here.
 */
public final class Helios implements TraceFormat {
    private static final List<String> COLUMNS = List.of(
            "job_id", "user", "vc", "gpu_num", "cpu_num", "node_num", "state", "submit_time", "start_time", "duration");

    @Override
    public String name() {
        return "helios";
    }

    @Override
    public String title() {
        return "SenseTime Helios 2020";
    }

    @Override
    public boolean matches(FileHead head) {
        return head.columns().containsAll(COLUMNS);
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
        TraceColumn cluster = header.require("vc");
        TraceColumn name = header.find("jobname");
        TraceColumn cpus = header.require("cpu_num");
        JobColumns jobs = JobColumns.ofSlurm(header, collector);
        return row -> {
            TraceRecord.Builder job = jobs.startRecord(row, row.text(id));
            if (job != null) {
                collector.add(job.name(row.hasValue(name) ? row.pooledText(name, "") : "")
                        .user(row.pooledText(user, TraceRecord.NO_USER))
                        .queue(row.pooledText(cluster, "default"))
                        .cpuMilli(JobColumns.cpuMilli(row, cpus))
                        .build());
            }
        };
    }
}
