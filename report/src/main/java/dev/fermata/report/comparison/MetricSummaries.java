package dev.fermata.report.comparison;

import dev.fermata.core.measure.JobStatistics;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.experiment.PairedComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The figures of one setting in a few tables: a row for each policy, means over the seeds with their confidence intervals. */
public final class MetricSummaries {
    private record SummaryColumn(String name, ToDoubleFunction<MeasuredRun> value, DoubleFunction<String> show) {}

    private static final List<SummaryColumn> COMPLETION = List.of(
            new SummaryColumn("mean JCT", MeasuredRun::meanJctSeconds, HumanFormat::time),
            new SummaryColumn("above bound", MeasuredRun::optimalityGap, HumanFormat::percent),
            new SummaryColumn("median JCT", m -> m.summary().all().jct().median(), HumanFormat::time),
            new SummaryColumn("p95 JCT", m -> m.summary().all().jct().p95(), HumanFormat::time),
            new SummaryColumn("p99 JCT", m -> m.summary().all().jct().p99(), HumanFormat::time),
            new SummaryColumn("max JCT", m -> m.summary().all().jct().max(), HumanFormat::time),
            new SummaryColumn("makespan", m -> m.summary().makespanSeconds(), HumanFormat::time));

    private static final List<SummaryColumn> WAITING = List.of(
            new SummaryColumn("mean wait", m -> m.summary().all().waiting().mean(), HumanFormat::time),
            new SummaryColumn("median wait", m -> m.summary().all().waiting().median(), HumanFormat::time),
            new SummaryColumn("p95 wait", m -> m.summary().all().waiting().p95(), HumanFormat::time),
            new SummaryColumn("p99 wait", m -> m.summary().all().waiting().p99(), HumanFormat::time),
            new SummaryColumn("mean slowdown", m -> m.summary().all().slowdown().mean(), HumanFormat::number),
            new SummaryColumn("p95 slowdown", m -> m.summary().all().slowdown().p95(), HumanFormat::number),
            new SummaryColumn("fairness (Jain)", m -> m.summary().all().jainFairness(), HumanFormat::number));

    private static final List<SummaryColumn> CLUSTER = List.of(
            of("GPUs busy", MetricsSummary::gpuUtilization, HumanFormat::percent),
            of("fragmented", MetricsSummary::fragmentation, HumanFormat::percent),
            of("network", MetricsSummary::communicationShare, HumanFormat::percent),
            of("pauses", MetricsSummary::preemptions, HumanFormat::count),
            of("jobs paused", MetricsSummary::preemptedJobs, HumanFormat::count),
            new SummaryColumn("overhead", MeasuredRun::overheadShare, HumanFormat::percent),
            of("GPU-time lost", s -> s.gpuTime().lost() / 1000.0, HumanFormat::time),
            of("out of memory", MetricsSummary::oomFailures, HumanFormat::count),
            of("failed jobs", MetricsSummary::failed, HumanFormat::count),
            new SummaryColumn(
                    "estimates wrong by",
                    m -> StrictMath.exp(m.result().estimateError()),
                    f -> HumanFormat.number(f) + "×"));

    private static SummaryColumn of(String name, ToDoubleFunction<MetricsSummary> value, DoubleFunction<String> show) {
        return new SummaryColumn(name, m -> value.applyAsDouble(m.summary()), show);
    }

    private MetricSummaries() {}

    public static List<ResultTable> of(Comparison.Group panel) {
        return List.of(
                completion(panel),
                sheet("Waiting and fairness", WAITING, panel.rows()),
                sheet("The cluster", CLUSTER, panel.rows()));
    }

    /** The figures of each job class; empty where all jobs are of one class. */
    public static List<ResultTable> classes(Comparison.Group panel) {
        MetricsSummary first = panel.first().summary();
        if (first.trial().jobs() == 0 || first.batch().jobs() == 0) {
            return List.of();
        }
        return List.of(
                sheet("Trial jobs: short, they should start now", ofClass(MetricsSummary::trial), panel.rows()),
                sheet("Batch jobs", ofClass(MetricsSummary::batch), panel.rows()));
    }

    private static List<SummaryColumn> ofClass(Function<MetricsSummary, JobStatistics> jobs) {
        return List.of(
                of("finished", s -> jobs.apply(s).completed(), HumanFormat::count),
                of("mean JCT", s -> jobs.apply(s).jct().mean(), HumanFormat::time),
                of("median JCT", s -> jobs.apply(s).jct().median(), HumanFormat::time),
                of("p95 JCT", s -> jobs.apply(s).jct().p95(), HumanFormat::time),
                of("mean wait", s -> jobs.apply(s).waiting().mean(), HumanFormat::time),
                of("p95 wait", s -> jobs.apply(s).waiting().p95(), HumanFormat::time),
                of("mean slowdown", s -> jobs.apply(s).slowdown().mean(), HumanFormat::number),
                of("p95 slowdown", s -> jobs.apply(s).slowdown().p95(), HumanFormat::number),
                of("fairness (Jain)", s -> jobs.apply(s).jainFairness(), HumanFormat::number));
    }

    private static ResultTable completion(Comparison.Group group) {
        ResultTable plain = sheet("Completion times", COMPLETION, group.rows());
        List<String> columns = new ArrayList<>(plain.columns());
        List<List<String>> rows = new ArrayList<>();
        plain.rows().forEach(row -> rows.add(new ArrayList<>(row)));
        List<String> bound = new ArrayList<>(columns.stream().map(c -> "–").toList());
        bound.set(0, "lower bound");
        bound.set(1, format(COMPLETION.get(0), group.lowerBound()));
        rows.add(bound);
        if (group.rows().size() > 1) {
            columns.add(2, "vs " + baseline(group));
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i)
                        .add(2, i < group.rows().size() ? against(group.rows().get(i)) : "–");
            }
        }
        return new ResultTable(plain.title(), columns, rows);
    }

    private static String baseline(Comparison.Group group) {
        return group.rows().stream()
                .filter(Comparison.Row::isBaseline)
                .map(row -> row.policy().name())
                .findFirst()
                .orElse("baseline");
    }

    private static ResultTable sheet(String title, List<SummaryColumn> columns, List<Comparison.Row> rows) {
        List<String> names = new ArrayList<>(List.of("policy"));
        columns.forEach(c -> names.add(c.name()));
        List<List<String>> cells = new ArrayList<>();
        for (Comparison.Row row : rows) {
            List<String> line = new ArrayList<>(List.of(row.label()));
            columns.forEach(c -> line.add(cell(c, row)));
            cells.add(line);
        }
        return new ResultTable(title, names, cells);
    }

    private static String cell(SummaryColumn column, Comparison.Row row) {
        return format(column, row.estimate(column.value()));
    }

    private static String format(SummaryColumn column, ConfidenceInterval estimate) {
        return column.show().apply(estimate.mean())
                + (estimate.halfWidth() > 0 ? " ±" + column.show().apply(estimate.halfWidth()) : "");
    }

    private static String against(Comparison.Row row) {
        PairedComparison paired = row.againstBaseline();
        if (row.isBaseline() || paired.seedPairs() == 0) {
            return "–";
        }
        ConfidenceInterval change = paired.change();
        return HumanFormat.change(change.mean())
                + (change.halfWidth() > 0 ? " ±" + HumanFormat.percent(change.halfWidth()) : "");
    }
}
