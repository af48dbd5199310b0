package dev.fermata.sim.trace.gavel;

import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.LineTable;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import dev.fermata.sim.trace.text.TraceRow;
import java.io.IOException;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;

/**
 * Ten cells between tabs and no header: a job type with its batch, its command, its steps, its GPUs and its submit
 * second. How long that takes is not written: it is the steps over the model's steps per second.
 */
public final class Gavel implements TraceFormat {
    private static final List<String> COLUMNS = List.of(
            "job_type",
            "command",
            "working_directory",
            "num_steps_arg",
            "needs_data_dir",
            "total_steps",
            "scale_factor",
            "priority_weight",
            "slo",
            "arrival_time");

    @Override
    public String name() {
        return "gavel";
    }

    @Override
    public String title() {
        return "Gavel's scheduler";
    }

    @Override
    public boolean matches(FileHead head) {
        return hasGavelColumns(head);
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        LineTable.readTabs(file, COLUMNS, collector, header -> reader(header, collector));
    }

    private static boolean hasGavelColumns(FileHead head) {
        List<String> lines = head.lines();
        if (lines.isEmpty()) {
            return false;
        }
        String[] cells = lines.get(0).split("\t", -1);
        return cells.length == COLUMNS.size() && cells[3].startsWith("-");
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        TraceColumn type = header.require("job_type");
        TraceColumn steps = header.require("total_steps");
        TraceColumn gpus = header.require("scale_factor");
        ToLongFunction<TraceRow> arrival = JobColumns.elapsed(header.require("arrival_time"), 1000);
        return row -> {
            if (!row.has(type)) {
                throw row.error(type, "is missing");
            }
            String name = row.pooledText(type, "");
            Matcher batch = ModelCatalogue.WITH_BATCH.matcher(name);
            boolean known = batch.matches();
            long submit = arrival.applyAsLong(row);
            collector.add(TraceRecord.builder("", submit, row.integer(gpus, 1, TraceRecord.MAX_GPUS), 0)
                    .name(name)
                    .model(known ? batch.group(1) : name)
                    .batch(known ? Integer.parseInt(batch.group(2)) : 0)
                    .iterations(row.integer(steps, 1, TraceRecord.MAX_ITERATIONS))
                    .build());
        };
    }
}
