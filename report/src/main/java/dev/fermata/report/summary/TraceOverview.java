package dev.fermata.report.summary;

import dev.fermata.core.model.JobClass;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.SelectedTrace;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextBars;
import dev.fermata.report.text.WordWrap;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.inspect.GroupTotals;
import dev.fermata.sim.trace.inspect.TraceStatistics;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A trace for people. */
public final class TraceOverview {
    private static final int NAMES = 13;
    private static final int FEW = 8;
    private static final int MINUTE = 60;
    private static final double HOUR = 3600;
    private static final double DAY = 86_400;

    private final SelectedTrace part;
    private final TraceStatistics statistics;
    private final Optional<ClusterInput> cluster;
    private final Screen screen;
    private final PrintWriter out;

    public TraceOverview(
            SelectedTrace part,
            TraceStatistics statistics,
            Optional<ClusterInput> cluster,
            Screen screen,
            PrintWriter out) {
        this.part = part;
        this.statistics = statistics;
        this.cluster = cluster;
        this.screen = screen;
        this.out = out;
    }

    public void print(boolean wide) {
        Trace trace = part.trace();
        out.println(screen.bold(trace.name() + ": " + trace.format().title() + " ("
                + trace.format().name() + ")"));
        out.println();
        printLine("jobs", jobs());
        printLine("submitted", span());
        printLine(
                "work",
                HumanFormat.count(statistics.gpuSeconds() / HOUR) + " GPU-hours"
                        + (statistics.spanSeconds() > 0
                                ? "; as much as "
                                        + HumanFormat.number(statistics.gpuSeconds() / statistics.spanSeconds())
                                        + " GPUs do in that time"
                                : ""));
        cluster.ifPresent(c -> printLine("load", load(c)));
        printClasses();
        printRunTimes();
        printSizes(wide);
        printParts("user", statistics.users(), wide);
        printParts("queue", statistics.queues(), wide);
        printParts("model", statistics.models(), wide);
        printHours();
        out.flush();
    }

    private String jobs() {
        Trace trace = part.trace();
        boolean all = part.records().size() == trace.records().size();
        int files = trace.files().size();
        return (all ? "" : HumanFormat.count(statistics.jobs()) + " selected of ")
                + trace.readSummary().describe()
                + (files > 1 ? "; from " + files + " files" : "")
                + (trace.skippedFiles().isEmpty()
                        ? ""
                        : "; passed over: "
                                + String.join(
                                        ", ",
                                        trace.skippedFiles().stream()
                                                .map(p -> String.valueOf(p.getFileName()))
                                                .toList()));
    }

    private String span() {
        Trace trace = part.trace();
        Optional<String> from = TraceFields.date(trace, statistics.firstMillis());
        Optional<String> to = TraceFields.date(trace, statistics.lastMillis());
        String when = from.isPresent() && to.isPresent()
                ? from.get().replace('T', ' ') + " to " + to.get().replace('T', ' ')
                : "from " + HumanFormat.time(statistics.firstMillis() / 1000.0) + " to "
                        + HumanFormat.time(statistics.lastMillis() / 1000.0) + " after time zero";
        if (statistics.spanSeconds() == 0) {
            return "all at once";
        }
        double days = statistics.spanSeconds() / DAY;
        return when + ", "
                + (days < 2 // too few for a mean to say anything
                        ? HumanFormat.time(statistics.spanSeconds())
                        : RunFields.rounded(days, 1).toPlainString() + " days; "
                                + HumanFormat.count(statistics.jobs() / days) + " a day, at most "
                                + HumanFormat.count(statistics.busiestDay()));
    }

    private String load(ClusterInput c) {
        int gpus = c.topology().gpuCount();
        long tooLarge = TraceFields.tooLarge(part, gpus);
        return (statistics.spanSeconds() > 0
                        ? HumanFormat.number(statistics.load(gpus)) + " of what " + c.name() + " ("
                                + HumanFormat.amount(gpus, "GPU") + ") can do from first to last submission"
                        : "all at once: " + HumanFormat.time(statistics.gpuSeconds() / gpus) + " of work for "
                                + c.name())
                + (tooLarge > 0 ? "; " + HumanFormat.amount(tooLarge, "job") + " larger than it" : "");
    }

    private void printClasses() {
        List<String> parts = new ArrayList<>();
        add(parts, statistics.jobsOfClass(JobClass.TRIAL), "trial");
        add(parts, statistics.fractional(), "on a share of a GPU");
        add(parts, statistics.typeConstrained(), "for certain types of GPUs");
        add(parts, statistics.elastic(), "of no fixed size");
        if (!parts.isEmpty()) {
            printLine("of these", String.join(", ", parts));
        }
    }

    private static void add(List<String> parts, long count, String words) {
        if (count > 0) {
            parts.add(HumanFormat.count(count) + " " + words);
        }
    }

    private void printRunTimes() {
        out.println();
        printLine(
                "run time",
                "median " + HumanFormat.time(statistics.quantile(0.5)) + ", mean "
                        + HumanFormat.time(statistics.meanSeconds())
                        + ", 10 % below "
                        + HumanFormat.time(statistics.quantile(0.1)) + ", 10 % above "
                        + HumanFormat.time(statistics.quantile(0.9))
                        + ", 1 % above " + HumanFormat.time(statistics.quantile(0.99)) + "; from "
                        + HumanFormat.time(statistics.quantile(0)) + " to " + HumanFormat.time(statistics.quantile(1)));
        TextBars bars = new TextBars("run time", "jobs");
        long[] jobs = statistics.durationCounts();
        for (int i = 0; i < jobs.length; i++) {
            boolean last = i + 1 == jobs.length;
            bars.add(last ? "more" : "below " + roundTime(TraceStatistics.DURATION_BINS.get(i + 1)), jobs[i], "");
        }
        print(bars);
    }

    /** A time of one unit, such as 10m. */
    private static String roundTime(int seconds) {
        return seconds < MINUTE
                ? seconds + "s"
                : seconds < HOUR
                        ? seconds / MINUTE + "m"
                        : seconds < DAY ? seconds / (int) HOUR + "h" : seconds / (int) DAY + "d";
    }

    private void printSizes(boolean wide) {
        TextBars bars = new TextBars("GPUs", "jobs").extraColumn("GPU-time");
        statistics
                .sizes()
                .forEach((gpus, of) -> bars.add(
                        HumanFormat.count(gpus),
                        of.jobs(),
                        HumanFormat.percent(of.gpuSeconds() / statistics.gpuSeconds())));
        print(wide ? bars : bars.limitTo(2 * FEW));
    }

    private void printParts(String what, Map<String, GroupTotals> byName, boolean wide) {
        if (byName.size() <= 1) {
            return;
        }
        TextBars bars = new TextBars(HumanFormat.amount(byName.size(), what), "jobs").extraColumn("GPU-time");
        byName.forEach((name, of) ->
                bars.add(name, of.jobs(), HumanFormat.percent(of.gpuSeconds() / statistics.gpuSeconds())));
        print(wide ? bars : bars.limitTo(FEW));
    }

    private void printHours() {
        if (statistics.spanSeconds() < DAY) {
            return;
        }
        out.println();
        boolean dated = part.trace().date().isPresent();
        printLine(
                "by hour",
                TextBars.sparkline(statistics.hours()) + "  "
                        + (dated ? "0 to 23 o'clock" : "of days since time zero"));
        if (dated) {
            printLine("by weekday", TextBars.sparkline(statistics.weekdays()) + "  Monday to Sunday");
        }
    }

    private void print(TextBars bars) {
        out.println();
        bars.render(screen).forEach(out::println);
    }

    private void printLine(String name, String text) {
        List<String> parts = WordWrap.wrap(text, screen.columns() - NAMES);
        for (int i = 0; i < parts.size(); i++) {
            String first = i == 0 ? name : "";
            out.println(first + " ".repeat(NAMES - first.length()) + parts.get(i));
        }
    }
}
