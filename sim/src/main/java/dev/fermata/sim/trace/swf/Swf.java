package dev.fermata.sim.trace.swf;

import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.LineTable;
import dev.fermata.sim.trace.text.RowReader;
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
    public boolean recognises(Head head) {
        return looksRight(head);
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        LineTable.readSpaces(file, COLUMNS, ';', intake, header -> reader(header, intake));
    }

    private static boolean looksRight(Head head) {
        List<String> lines = head.lines();
        return !lines.isEmpty()
                && (lines.get(0).startsWith(";")
                        || NUMBERS.matcher(lines.get(0)).matches());
    }

    private static RowReader reader(Header header, Intake intake) {
        return new SwfJob(header, intake)::read;
    }
}
