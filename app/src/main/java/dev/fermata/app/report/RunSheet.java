package dev.fermata.app.report;

import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.app.run.Measured;
import dev.fermata.core.measure.JobStatistics;
import dev.fermata.core.measure.Spread;
import dev.fermata.core.measure.Summary;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.DoubleFunction;

/** One run for people. Holds nothing of the wall clock: the same run prints the same sheet. */
public final class RunSheet {
    private static final int NAMES = 13;

    private final Measured run;
    private final Screen screen;
    private final PrintWriter out;

    public RunSheet(Measured run, Screen screen, PrintWriter out) {
        this.run = run;
        this.screen = screen;
        this.out = out;
    }

    public void print(boolean wide) {
        Summary summary = run.summary();
        String title = run.policy().text() + " on " + run.result().cluster() + " ("
                + Humane.amount(run.setting().cluster().topology().gpuCount(), "GPU") + "), "
                + run.result().workload() + ", estimator " + run.setting().estimator() + ", "
                + run.setting().workload().assumptions() + ", seed "
                + run.result().seed();
        Words.wrap(title, screen.columns()).forEach(line -> out.println(screen.strong(line)));
        out.println();
        times(wide).render(screen).forEach(out::println);
        out.println();
        line(
                "jobs",
                Humane.count(run.jobs()) + ", " + Humane.count(summary.all().completed()) + " finished, "
                        + Humane.count(summary.failed()) + " failed"
                        + (summary.oomFailures() > 0 ? ", out of memory " + summary.oomFailures() + " times" : ""));
        line("makespan", Humane.time(summary.makespanSeconds()) + " from first submission to last end");
        line(
                "GPUs busy",
                Humane.percent(summary.gpuUtilization()) + " of the time; "
                        + Humane.percent(summary.communicationShare()) + " of that waiting for the network");
        line("pauses", Humane.count(summary.preemptions()) + ", of " + Humane.amount(summary.preemptedJobs(), "job"));
        line("overhead", Humane.percent(run.overheadShare()) + " of the GPU-time held went into loading and pausing");
        line(
                "estimates",
                run.result().estimateError() > 0
                        ? "half of all were wrong by more than a factor of "
                                + Humane.number(StrictMath.exp(run.result().estimateError()))
                        : "as true as they can be");
        line(
                "lower bound",
                Humane.time(run.result().lowerBoundMeanJctSeconds()) + " mean completion, which no schedule can"
                        + " beat; this run is " + Humane.percent(run.optimalityGap()) + " above");
        if (wide) {
            line(
                    "fragmented",
                    Humane.percent(summary.fragmentation()) + " of the free GPU-time, on nodes partly in use");
            line(
                    "fairness",
                    Humane.number(summary.all().jainFairness()) + " (Jain's index of JCT ÷ run time; 1 is even)");
            line("lost", Humane.time(summary.gpuTime().lost() / 1000.0) + " of GPU-time had to be done again");
        }
        out.flush();
    }

    private Table times(boolean wide) {
        Table table = new Table()
                .words("")
                .numbers("mean", Table.ALWAYS)
                .numbers("median", 4)
                .numbers("p95", Table.ALWAYS)
                .numbers("p99", 3)
                .numbers("max", 2);
        Summary summary = run.summary();
        table(table, "all jobs", summary.all(), wide);
        if (summary.trial().jobs() > 0 && summary.batch().jobs() > 0) {
            table.space();
            table(table, "trial jobs", summary.trial(), wide);
            table.space();
            table(table, "batch jobs", summary.batch(), wide);
        }
        return table;
    }

    private static void table(Table table, String who, JobStatistics jobs, boolean wide) {
        row(table, who + ": completion time (JCT)", jobs.jct(), Humane::time);
        row(table, "  time in the queue", jobs.waiting(), Humane::time);
        if (wide || !who.startsWith("batch")) {
            row(table, "  slowdown (1 + wait ÷ run)", jobs.slowdown(), Humane::number);
        }
    }

    private static void row(Table table, String name, Spread spread, DoubleFunction<String> show) {
        table.row(
                name,
                show.apply(spread.mean()),
                show.apply(spread.median()),
                show.apply(spread.p95()),
                show.apply(spread.p99()),
                show.apply(spread.max()));
    }

    private void line(String name, String text) {
        List<String> parts = Words.wrap(text, screen.columns() - NAMES);
        for (int i = 0; i < parts.size(); i++) {
            String first = i == 0 ? name : "";
            out.println(first + " ".repeat(NAMES - first.length()) + parts.get(i));
        }
    }
}
