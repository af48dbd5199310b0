package dev.fermata.sim.trace.gavel;

import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.JobColumns;
import dev.fermata.sim.trace.text.LineTable;
import dev.fermata.sim.trace.text.Row;
import dev.fermata.sim.trace.text.RowReader;
import java.io.IOException;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ten cells between tabs and no header: a type of job with its batch, what to call, and how many steps it trains on how many
 * GPUs, since which second. How long that takes is not written: it is the steps over the model's steps per second.
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
    /** Such as {@code ResNet-18 (batch size 128)}. */
    private static final Pattern WITH_BATCH = Pattern.compile("(.+?) *\\(batch size ([0-9]{1,9})\\)");

    @Override
    public String name() {
        return "gavel";
    }

    @Override
    public String title() {
        return "Gavel's scheduler";
    }

    @Override
    public boolean recognises(Head head) {
        return looksRight(head);
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        LineTable.readTabs(file, COLUMNS, intake, header -> reader(header, intake));
    }

    private static boolean looksRight(Head head) {
        List<String> lines = head.lines();
        if (lines.isEmpty()) {
            return false;
        }
        String[] cells = lines.get(0).split("\t", -1);
        return cells.length == COLUMNS.size() && cells[3].startsWith("-");
    }

    private static RowReader reader(Header header, Intake intake) {
        Column type = header.need("job_type");
        Column steps = header.need("total_steps");
        Column gpus = header.need("scale_factor");
        ToLongFunction<Row> arrival = JobColumns.elapsed(header.need("arrival_time"), 1000);
        return row -> {
            if (!row.has(type)) {
                throw row.wrong(type, "is missing");
            }
            String name = row.name(type, "");
            Matcher batch = WITH_BATCH.matcher(name);
            boolean known = batch.matches();
            long submit = arrival.applyAsLong(row);
            intake.keep(TraceRecord.builder("", submit, row.whole(gpus, 1, TraceRecord.MOST_GPUS), 0)
                    .name(name)
                    .model(known ? batch.group(1) : name)
                    .batch(known ? Integer.parseInt(batch.group(2)) : 0)
                    .iterations(row.whole(steps, 1, TraceRecord.MOST_ITERATIONS))
                    .build());
        };
    }
}
