package dev.fermata.sim.trace.pai;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.CsvTable;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import dev.fermata.sim.trace.text.TraceRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The table of tasks,
 * {@code job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type}, in seconds. Its lines
 * are put together by job, in the order of first appearance. The table of jobs,
 * {@code job_name,inst_id,user,status,start_time,end_time}, in the same folder, has the submission and its user; without it a
 * job counts as submitted when its first task began. Neither has a header in the published files; a header is skipped.
 */
public final class Pai implements TraceFormat {
    private static final List<String> TASK_COLUMNS = List.of(
            "job_name",
            "task_name",
            "inst_num",
            "status",
            "start_time",
            "end_time",
            "plan_cpu",
            "plan_mem",
            "plan_gpu",
            "gpu_type");
    private static final List<String> JOB_COLUMNS =
            List.of("job_name", "inst_id", "user", "status", "start_time", "end_time");
    private static final Set<String> STATES = Set.of("Terminated", "Failed", "Running", "Waiting", "Interrupted");
    private static final Pattern NUMBER_OR_NOTHING = Pattern.compile("[0-9.]*");
    private static final List<String> JOB_TABLES =
            List.of("pai_job_table.csv", "pai_job_table.csv.gz", "pai_job_table", "pai_job_table.gz");
    private static final double MAX_SECONDS = 4e9;

    @Override
    public String name() {
        return "pai";
    }

    @Override
    public String title() {
        return "Alibaba PAI 2020, table of tasks";
    }

    @Override
    public boolean matches(FileHead head) {
        List<String> lines = head.lines();
        if (lines.isEmpty()) {
            return false;
        }
        List<String> cells = List.of(lines.get(0).split(",", -1));
        return cells.equals(TASK_COLUMNS)
                || (cells.size() == TASK_COLUMNS.size()
                        && STATES.contains(cells.get(3))
                        && List.of(2, 4, 5, 6, 7, 8).stream()
                                .allMatch(i ->
                                        NUMBER_OR_NOTHING.matcher(cells.get(i)).matches()));
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        Map<String, PaiJob> jobs = new LinkedHashMap<>();
        CsvTable.read(file, TASK_COLUMNS, collector, header -> tasks(header, jobs));
        Optional<TraceFile> jobTable = jobTable(file.path());
        if (jobTable.isPresent()) {
            CsvTable.read(jobTable.get(), JOB_COLUMNS, collector, header -> submissions(header, jobs));
        }
        jobs.forEach((name, job) -> job.collect(name, collector));
    }

    private static Optional<TraceFile> jobTable(Path tasks) {
        return JOB_TABLES.stream()
                .map(tasks::resolveSibling)
                .filter(Files::isRegularFile)
                .findFirst()
                .map(TraceFile::new);
    }

    private static RowReader tasks(TraceHeader header, Map<String, PaiJob> jobs) {
        TraceColumn name = header.require("job_name");
        PaiTask task = new PaiTask(header);
        return row -> {
            if (!row.has(name)) {
                throw row.error(name, "is missing");
            }
            PaiJob known = jobs.get(row.text(name));
            PaiJob job = known == null ? new PaiJob() : known;
            job.add(task.read(row, job.gpus()));
            jobs.put(row.text(name), job);
        };
    }

    private static RowReader submissions(TraceHeader header, Map<String, PaiJob> jobs) {
        TraceColumn name = header.require("job_name");
        TraceColumn user = header.require("user");
        TraceColumn start = header.require("start_time");
        return row -> {
            PaiJob job = jobs.get(row.text(name));
            if (job != null) {
                job.setSubmission(row.pooledText(user, TraceRecord.NO_USER), seconds(row, start));
            }
        };
    }

    /** −1 when unknown. */
    static double seconds(TraceRow row, TraceColumn column) {
        return row.hasValue(column) ? row.number(column, 0, MAX_SECONDS) : -1;
    }
}
