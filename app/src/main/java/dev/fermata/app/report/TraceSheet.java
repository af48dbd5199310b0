package dev.fermata.app.report;

import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.TracePart;
import dev.fermata.app.output.Bars;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Words;
import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.inspect.Part;
import dev.fermata.sim.trace.inspect.TraceFacts;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A trace for people. */
public final class TraceSheet {
    private static final int NAMES = 13;
    private static final int FEW = 8;
    private static final int MINUTE = 60;
    private static final double HOUR = 3600;
    private static final double DAY = 86_400;

    private final TracePart part;
    private final TraceFacts facts;
    private final Optional<ClusterInput> cluster;
    private final Screen screen;
    private final PrintWriter out;

    public TraceSheet(
            TracePart part, TraceFacts facts, Optional<ClusterInput> cluster, Screen screen, PrintWriter out) {
        this.part = part;
        this.facts = facts;
        this.cluster = cluster;
        this.screen = screen;
        this.out = out;
    }

    public void print(boolean wide) {
        Trace trace = part.trace();
        out.println(screen.strong(trace.name() + ": " + trace.format().title() + " ("
                + trace.format().name() + ")"));
        out.println();
        line("jobs", jobs());
        line("submitted", span());
        line(
                "work",
                Humane.count(facts.gpuSeconds() / HOUR) + " GPU-hours"
                        + (facts.spanSeconds() > 0
                                ? "; as much as " + Humane.number(facts.gpuSeconds() / facts.spanSeconds())
                                        + " GPUs do in that time"
                                : ""));
        cluster.ifPresent(c -> line("load", load(c)));
        kinds();
        runTimes();
        sizes(wide);
        parts("user", facts.users(), wide);
        parts("queue", facts.queues(), wide);
        parts("model", facts.models(), wide);
        hours();
        out.flush();
    }

    private String jobs() {
        Trace trace = part.trace();
        boolean all = part.records().size() == trace.records().size();
        int files = trace.files().size();
        return (all ? "" : Humane.count(facts.jobs()) + " selected of ")
                + trace.tally().words()
                + (files > 1 ? "; from " + files + " files" : "")
                + (trace.passedOver().isEmpty()
                        ? ""
                        : "; passed over: "
                                + String.join(
                                        ", ",
                                        trace.passedOver().stream()
                                                .map(p -> String.valueOf(p.getFileName()))
                                                .toList()));
    }

    private String span() {
        Trace trace = part.trace();
        Optional<String> from = TraceFields.date(trace, facts.firstMillis());
        Optional<String> to = TraceFields.date(trace, facts.lastMillis());
        String when = from.isPresent() && to.isPresent()
                ? from.get().replace('T', ' ') + " to " + to.get().replace('T', ' ')
                : "from " + Humane.time(facts.firstMillis() / 1000.0) + " to "
                        + Humane.time(facts.lastMillis() / 1000.0) + " after time zero";
        if (facts.spanSeconds() == 0) {
            return "all at once";
        }
        double days = facts.spanSeconds() / DAY;
        return when + ", "
                + (days < 2 // too few for a mean to say anything
                        ? Humane.time(facts.spanSeconds())
                        : RunFields.rounded(days, 1).toPlainString() + " days; "
                                + Humane.count(facts.jobs() / days) + " a day, at most "
                                + Humane.count(facts.busiestDay()));
    }

    private String load(ClusterInput c) {
        int gpus = c.topology().gpuCount();
        long tooLarge = TraceFields.tooLarge(part, gpus);
        return (facts.spanSeconds() > 0
                        ? Humane.number(facts.load(gpus)) + " of what " + c.name() + " (" + Humane.amount(gpus, "GPU")
                                + ") can do from first to last submission"
                        : "all at once: " + Humane.time(facts.gpuSeconds() / gpus) + " of work for " + c.name())
                + (tooLarge > 0 ? "; " + Humane.amount(tooLarge, "job") + " larger than it" : "");
    }

    private void kinds() {
        List<String> kinds = new ArrayList<>();
        add(kinds, facts.of(JobClass.TRIAL), "trial");
        add(kinds, facts.fractional(), "on a share of a GPU");
        add(kinds, facts.typed(), "for certain types of GPUs");
        add(kinds, facts.elastic(), "of no fixed size");
        if (!kinds.isEmpty()) {
            line("of these", String.join(", ", kinds));
        }
    }

    private static void add(List<String> kinds, long count, String words) {
        if (count > 0) {
            kinds.add(Humane.count(count) + " " + words);
        }
    }

    private void runTimes() {
        out.println();
        line(
                "run time",
                "median " + Humane.time(facts.quantile(0.5)) + ", mean " + Humane.time(facts.meanSeconds())
                        + ", 10 % below "
                        + Humane.time(facts.quantile(0.1)) + ", 10 % above " + Humane.time(facts.quantile(0.9))
                        + ", 1 % above " + Humane.time(facts.quantile(0.99)) + "; from "
                        + Humane.time(facts.quantile(0)) + " to " + Humane.time(facts.quantile(1)));
        Bars bars = new Bars("run time", "jobs");
        long[] jobs = facts.times();
        for (int i = 0; i < jobs.length; i++) {
            boolean last = i + 1 == jobs.length;
            bars.add(last ? "more" : "below " + roundTime(TraceFacts.TIMES.get(i + 1)), jobs[i], "");
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

    private void sizes(boolean wide) {
        Bars bars = new Bars("GPUs", "jobs").beside("GPU-time");
        facts.sizes()
                .forEach((gpus, of) ->
                        bars.add(Humane.count(gpus), of.jobs(), Humane.percent(of.gpuSeconds() / facts.gpuSeconds())));
        print(wide ? bars : bars.most(2 * FEW));
    }

    private void parts(String what, Map<String, Part> byName, boolean wide) {
        if (byName.size() <= 1) {
            return;
        }
        Bars bars = new Bars(Humane.amount(byName.size(), what), "jobs").beside("GPU-time");
        byName.forEach((name, of) -> bars.add(name, of.jobs(), Humane.percent(of.gpuSeconds() / facts.gpuSeconds())));
        print(wide ? bars : bars.most(FEW));
    }

    private void hours() {
        if (facts.spanSeconds() < DAY) {
            return;
        }
        out.println();
        boolean dated = part.trace().date().isPresent();
        line("by hour", Bars.line(facts.hours()) + "  " + (dated ? "0 to 23 o'clock" : "of days since time zero"));
        if (dated) {
            line("by weekday", Bars.line(facts.weekdays()) + "  Monday to Sunday");
        }
    }

    private void print(Bars bars) {
        out.println();
        bars.render(screen).forEach(out::println);
    }

    private void line(String name, String text) {
        List<String> parts = Words.wrap(text, screen.columns() - NAMES);
        for (int i = 0; i < parts.size(); i++) {
            String first = i == 0 ? name : "";
            out.println(first + " ".repeat(NAMES - first.length()) + parts.get(i));
        }
    }
}
