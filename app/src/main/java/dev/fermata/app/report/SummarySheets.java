package dev.fermata.app.report;

import dev.fermata.app.output.Humane;
import dev.fermata.app.run.Measured;
import dev.fermata.core.measure.JobStatistics;
import dev.fermata.core.measure.Summary;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.experiment.Paired;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The figures of one setting in a few tables: a row for each policy, means over the seeds with their confidence intervals. */
public final class SummarySheets {
    private record Column(String name, ToDoubleFunction<Measured> value, DoubleFunction<String> show) {}

    private static final List<Column> COMPLETION = List.of(
            new Column("mean JCT", Measured::meanJctSeconds, Humane::time),
            new Column("above bound", Measured::optimalityGap, Humane::percent),
            new Column("median JCT", m -> m.summary().all().jct().median(), Humane::time),
            new Column("p95 JCT", m -> m.summary().all().jct().p95(), Humane::time),
            new Column("p99 JCT", m -> m.summary().all().jct().p99(), Humane::time),
            new Column("max JCT", m -> m.summary().all().jct().max(), Humane::time),
            new Column("makespan", m -> m.summary().makespanSeconds(), Humane::time));

    private static final List<Column> WAITING = List.of(
            new Column("mean wait", m -> m.summary().all().waiting().mean(), Humane::time),
            new Column("median wait", m -> m.summary().all().waiting().median(), Humane::time),
            new Column("p95 wait", m -> m.summary().all().waiting().p95(), Humane::time),
            new Column("p99 wait", m -> m.summary().all().waiting().p99(), Humane::time),
            new Column("mean slowdown", m -> m.summary().all().slowdown().mean(), Humane::number),
            new Column("p95 slowdown", m -> m.summary().all().slowdown().p95(), Humane::number),
            new Column("fairness (Jain)", m -> m.summary().all().jainFairness(), Humane::number));

    private static final List<Column> CLUSTER = List.of(
            of("GPUs busy", Summary::gpuUtilization, Humane::percent),
            of("fragmented", Summary::fragmentation, Humane::percent),
            of("network", Summary::communicationShare, Humane::percent),
            of("pauses", Summary::preemptions, Humane::count),
            of("jobs paused", Summary::preemptedJobs, Humane::count),
            new Column("overhead", Measured::overheadShare, Humane::percent),
            of("GPU-time lost", s -> s.gpuTime().lost() / 1000.0, Humane::time),
            of("out of memory", Summary::oomFailures, Humane::count),
            of("failed jobs", Summary::failed, Humane::count),
            new Column(
                    "estimates wrong by",
                    m -> StrictMath.exp(m.result().estimateError()),
                    f -> Humane.number(f) + "×"));

    private static Column of(String name, ToDoubleFunction<Summary> value, DoubleFunction<String> show) {
        return new Column(name, m -> value.applyAsDouble(m.summary()), show);
    }

    private SummarySheets() {}

    public static List<Sheet> of(Comparison.Group panel) {
        return List.of(
                completion(panel),
                sheet("Waiting and fairness", WAITING, panel.rows()),
                sheet("The cluster", CLUSTER, panel.rows()));
    }

    /** How each class fared; nothing where all jobs are of one. */
    public static List<Sheet> classes(Comparison.Group panel) {
        Summary first = panel.first().summary();
        if (first.trial().jobs() == 0 || first.batch().jobs() == 0) {
            return List.of();
        }
        return List.of(
                sheet("Trial jobs: short, watched, they want to start now", ofClass(Summary::trial), panel.rows()),
                sheet("Batch jobs: they want to finish", ofClass(Summary::batch), panel.rows()));
    }

    private static List<Column> ofClass(Function<Summary, JobStatistics> jobs) {
        return List.of(
                of("finished", s -> jobs.apply(s).completed(), Humane::count),
                of("mean JCT", s -> jobs.apply(s).jct().mean(), Humane::time),
                of("median JCT", s -> jobs.apply(s).jct().median(), Humane::time),
                of("p95 JCT", s -> jobs.apply(s).jct().p95(), Humane::time),
                of("mean wait", s -> jobs.apply(s).waiting().mean(), Humane::time),
                of("p95 wait", s -> jobs.apply(s).waiting().p95(), Humane::time),
                of("mean slowdown", s -> jobs.apply(s).slowdown().mean(), Humane::number),
                of("p95 slowdown", s -> jobs.apply(s).slowdown().p95(), Humane::number),
                of("fairness (Jain)", s -> jobs.apply(s).jainFairness(), Humane::number));
    }

    private static Sheet completion(Comparison.Group group) {
        Sheet plain = sheet("Completion times", COMPLETION, group.rows());
        List<String> columns = new ArrayList<>(plain.columns());
        List<List<String>> rows = new ArrayList<>();
        plain.rows().forEach(row -> rows.add(new ArrayList<>(row)));
        List<String> bound = new ArrayList<>(columns.stream().map(c -> "–").toList());
        bound.set(0, "lower bound");
        bound.set(1, show(COMPLETION.get(0), group.lowerBound()));
        rows.add(bound);
        if (group.rows().size() > 1) {
            columns.add(2, "vs " + baseline(group));
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i)
                        .add(2, i < group.rows().size() ? against(group.rows().get(i)) : "–");
            }
        }
        return new Sheet(plain.title(), columns, rows);
    }

    private static String baseline(Comparison.Group group) {
        return group.rows().stream()
                .filter(Comparison.Row::isBaseline)
                .map(row -> row.policy().name())
                .findFirst()
                .orElse("baseline");
    }

    private static Sheet sheet(String title, List<Column> columns, List<Comparison.Row> rows) {
        List<String> names = new ArrayList<>(List.of("policy"));
        columns.forEach(c -> names.add(c.name()));
        List<List<String>> cells = new ArrayList<>();
        for (Comparison.Row row : rows) {
            List<String> line = new ArrayList<>(List.of(row.label()));
            columns.forEach(c -> line.add(cell(c, row)));
            cells.add(line);
        }
        return new Sheet(title, names, cells);
    }

    private static String cell(Column column, Comparison.Row row) {
        return show(column, row.estimate(column.value()));
    }

    private static String show(Column column, Estimate estimate) {
        return column.show().apply(estimate.mean())
                + (estimate.halfWidth() > 0 ? " ±" + column.show().apply(estimate.halfWidth()) : "");
    }

    private static String against(Comparison.Row row) {
        Paired paired = row.againstBaseline();
        if (row.isBaseline() || paired.pairs() == 0) {
            return "–";
        }
        Estimate change = paired.change();
        return Humane.change(change.mean()) + (change.halfWidth() > 0 ? " ±" + Humane.percent(change.halfWidth()) : "");
    }
}
