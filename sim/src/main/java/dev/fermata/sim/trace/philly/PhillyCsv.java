package dev.fermata.sim.trace.philly;

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

/** {@code timestamp,duration,num_gpus,gpu_time,cluster}: dates without a zone, seconds; the virtual cluster is the queue. */
public final class PhillyCsv implements TraceFormat {
    private static final List<String> COLUMNS = List.of("timestamp", "duration", "num_gpus", "gpu_time", "cluster");

    @Override
    public String name() {
        return "philly";
    }

    @Override
    public String title() {
        return "Microsoft Philly 2017, table of jobs";
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
    public boolean isChronological() {
        return false; // there are no ids, and rows do not come in order of time
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        CsvTable.read(file, collector, header -> reader(header, collector));
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        TraceColumn cluster = header.require("cluster");
        JobColumns jobs = new JobColumns(
                collector,
                header.require("num_gpus"),
                JobColumns.date(header.require("timestamp")),
                JobColumns.length(header.require("duration"), 1000));
        return row -> {
            TraceRecord.Builder job = jobs.startRecord(row, "");
            if (job != null) {
                collector.add(job.queue(row.pooledText(cluster, "default")).build());
            }
        };
    }
}
