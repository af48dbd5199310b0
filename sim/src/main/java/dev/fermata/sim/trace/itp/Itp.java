package dev.fermata.sim.trace.itp;

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

/** {@code job_id,submission_time,duration,num_gpu}: seconds since a zero of its own. */
public final class Itp implements TraceFormat {
    private static final List<String> COLUMNS = List.of("job_id", "submission_time", "duration", "num_gpu");

    @Override
    public String name() {
        return "itp";
    }

    @Override
    public String title() {
        return "Microsoft ITP 2021 (ElasticFlow's traces)";
    }

    @Override
    public boolean matches(FileHead head) {
        return head.columns().containsAll(COLUMNS);
    }

    @Override
    public boolean isChronological() {
        return false; // the ids are random
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        CsvTable.read(file, collector, header -> reader(header, collector));
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        TraceColumn id = header.require("job_id");
        JobColumns jobs = new JobColumns(
                collector,
                header.require("num_gpu"),
                JobColumns.elapsed(header.require("submission_time"), 1000),
                JobColumns.length(header.require("duration"), 1000));
        return row -> {
            TraceRecord.Builder job = jobs.startRecord(row, row.text(id));
            if (job != null) {
                collector.add(job.build());
            }
        };
    }
}
