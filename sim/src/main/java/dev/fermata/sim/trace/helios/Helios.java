package dev.fermata.sim.trace.helios;

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
    public boolean recognises(Head head) {
        return head.columns().containsAll(COLUMNS);
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
        Column cluster = header.need("vc");
        Column name = header.find("jobname");
        Column cpus = header.need("cpu_num");
        JobColumns jobs = JobColumns.ofSlurm(header, intake);
        return row -> {
            TraceRecord.Builder job = jobs.begin(row, row.text(id));
            if (job != null) {
                intake.keep(job.name(row.knows(name) ? row.name(name, "") : "")
                        .user(row.name(user, "nobody"))
                        .queue(row.name(cluster, "default"))
                        .cpuMilli(JobColumns.cpuMilli(row, cpus))
                        .build());
            }
        };
    }
}
