package dev.fermata.sim.trace.swf;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.text.LineTable;
import dev.fermata.sim.trace.text.RowReader;
import dev.fermata.sim.trace.text.TraceHeader;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Eighteen numbers between spaces, comments after a semicolon, −1 for what is unknown; processors stand for GPUs. Of the two
 * numbers of processors the one the job got counts, because its run time is the time on those.
 */
public final class Swf implements TraceFormat {
    private static final List<String> COLUMNS = List.of(
            "job",
            "submit",
            "wait",
            "run",
            "allocated",
            "cpu_time",
            "used_memory",
            "requested",
            "requested_time",
            "requested_memory",
            "status",
            "user",
            "group",
            "executable",
            "queue",
            "partition",
            "preceding",
            "think_time");
    private static final Pattern NUMBERS = Pattern.compile("-?[0-9.]+(\\s+-?[0-9.]+){17}");

    @Override
    public String name() {
        return "swf";
    }

    @Override
    public String title() {
        return "Standard Workload Format";
    }

    @Override
    public boolean matches(FileHead head) {
        return hasSwfLines(head);
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        LineTable.readSpaces(file, COLUMNS, ';', collector, header -> reader(header, collector));
    }

    private static boolean hasSwfLines(FileHead head) {
        List<String> lines = head.lines();
        return !lines.isEmpty()
                && (lines.get(0).stripLeading().startsWith(";")
                        || NUMBERS.matcher(lines.get(0)).matches());
    }

    private static RowReader reader(TraceHeader header, TraceCollector collector) {
        return new SwfRow(header, collector)::read;
    }
}
