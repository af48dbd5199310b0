package dev.fermata.report.summary;

import dev.fermata.core.measure.Distribution;
import dev.fermata.core.measure.JobStatistics;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.DoubleFunction;

/** One run for people. Holds no wall-clock figure: the same run prints the same sheet. */
public final class RunOverview {
    private static final int NAMES = 13;

    private final MeasuredRun run;
    private final Screen screen;
    private final PrintWriter out;

    public RunOverview(MeasuredRun run, Screen screen, PrintWriter out) {
        this.run = run;
        this.screen = screen;
        this.out = out;
    }

    public void print(boolean wide) {
        MetricsSummary summary = run.summary();
        String title = run.policy().text() + " on " + run.result().cluster() + " ("
                + HumanFormat.amount(run.setting().cluster().topology().gpuCount(), "GPU") + "), "
                + run.result().workload() + ", estimator " + run.setting().estimator() + ", "
                + run.setting().workload().assumptions()
                + run.setting().modelError().suffix() + ", seed "
                + run.result().seed();
        WordWrap.wrap(title, screen.columns()).forEach(line -> out.println(screen.bold(line)));
        out.println();
        times(wide).render(screen).forEach(out::println);
        out.println();
        printLine(
                "jobs",
                HumanFormat.count(run.jobs()) + ", "
                        + HumanFormat.count(summary.all().completed()) + " finished, "
                        + HumanFormat.count(summary.failed()) + " failed"
                        + (summary.oomFailures() > 0 ? ", out of memory " + summary.oomFailures() + " times" : ""));
        printLine("makespan", HumanFormat.time(summary.makespanSeconds()) + " from first submission to last end");
        printLine(
                "GPUs busy",
                HumanFormat.percent(summary.gpuUtilization()) + " of the time; "
                        + HumanFormat.percent(summary.communicationShare()) + " of that waiting for the network");
        printLine(
                "pauses",
                HumanFormat.count(summary.preemptions()) + ", of "
                        + HumanFormat.amount(summary.preemptedJobs(), "job"));
        printLine(
                "overhead",
                HumanFormat.percent(run.overheadShare()) + " of the GPU-time held went into loading and pausing");
        printLine(
                "estimates",
                run.result().estimateError() > 0
                        ? "half of all were wrong by more than a factor of "
                                + HumanFormat.number(StrictMath.exp(run.result().estimateError()))
                        : "exact");
        printLine(
                "lower bound",
                HumanFormat.time(run.result().lowerBoundMeanJctSeconds()) + " mean completion, which no schedule can"
                        + " beat; this run is " + HumanFormat.percent(run.optimalityGap()) + " above");
        if (wide) {
            printLine(
                    "fragmented",
                    HumanFormat.percent(summary.fragmentation()) + " of the free GPU-time, on nodes partly in use");
            printLine(
                    "fairness",
                    HumanFormat.number(summary.all().jainFairness()) + " (Jain's index of JCT ÷ run time; 1 is even)");
            printLine(
                    "lost", HumanFormat.time(summary.gpuTime().lost() / 1000.0) + " of GPU-time had to be done again");
        }
        out.flush();
    }

    private TextTable times(boolean wide) {
        TextTable table = new TextTable()
                .textColumn("")
                .numberColumn("mean", TextTable.ALWAYS)
                .numberColumn("median", 4)
                .numberColumn("p95", TextTable.ALWAYS)
                .numberColumn("p99", 3)
                .numberColumn("max", 2);
        MetricsSummary summary = run.summary();
        addRows(table, "all jobs", summary.all(), wide);
        if (summary.trial().jobs() > 0 && summary.batch().jobs() > 0) {
            table.blankRow();
            addRows(table, "trial jobs", summary.trial(), wide);
            table.blankRow();
            addRows(table, "batch jobs", summary.batch(), wide);
        }
        return table;
    }

    private static void addRows(TextTable table, String label, JobStatistics jobs, boolean wide) {
        row(table, label + ": completion time (JCT)", jobs.jct(), HumanFormat::time);
        row(table, "  time in the queue", jobs.waiting(), HumanFormat::time);
        if (wide || !label.startsWith("batch")) {
            row(table, "  slowdown (1 + wait ÷ run)", jobs.slowdown(), HumanFormat::number);
        }
    }

    private static void row(TextTable table, String name, Distribution spread, DoubleFunction<String> show) {
        table.row(
                name,
                show.apply(spread.mean()),
                show.apply(spread.median()),
                show.apply(spread.p95()),
                show.apply(spread.p99()),
                show.apply(spread.max()));
    }

    private void printLine(String name, String text) {
        List<String> parts = WordWrap.wrap(text, screen.columns() - NAMES);
        for (int i = 0; i < parts.size(); i++) {
            String first = i == 0 ? name : "";
            out.println(first + " ".repeat(NAMES - first.length()) + parts.get(i));
        }
    }
}
