package dev.fermata.app.report;

import dev.fermata.app.input.Setting;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.app.run.Measured;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.experiment.Estimate;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Policies side by side, a row each (means over the seeds), and what a newcomer needs to read them. */
public final class ComparisonTable {
    private static final int WIDEST_TEXT = 110;

    private final List<Measured> runs;
    private final List<Long> seeds;
    private final boolean wide;
    private final Screen screen;
    private final PrintWriter out;

    public ComparisonTable(List<Measured> runs, List<Long> seeds, boolean wide, Screen screen, PrintWriter out) {
        this.runs = runs;
        this.seeds = seeds;
        this.wide = wide;
        this.screen = screen;
        this.out = out;
    }

    public void print() {
        if (runs.isEmpty()) {
            return;
        }
        Map<String, List<Measured>> byVariation = new LinkedHashMap<>();
        for (Measured run : runs) {
            byVariation
                    .computeIfAbsent(run.setting().variation(), v -> new ArrayList<>())
                    .add(run);
        }
        Words.wrap(title(), screen.columns()).forEach(out::println);
        out.println();
        Table table = table(byVariation);
        // A wide table is asked for whole, whatever the screen.
        table.render(wide ? screen.unlimited() : screen).forEach(out::println);
        out.println();
        legend(table.hidden()).forEach(this::paragraph);
        out.flush();
    }

    private String title() {
        Measured first = runs.get(0);
        Setting setting = first.setting();
        String varied = setting.variation();
        String title = setting.cluster().name() + " ("
                + Humane.count(setting.cluster().topology().gpuCount()) + " GPUs), "
                + first.result().workload() + " (" + Humane.count(first.jobs()) + " jobs), estimator "
                + setting.estimator() + ", " + setting.workload().assumptions()
                + (setting.faults().text().equals("none")
                        ? ""
                        : ", faults " + setting.faults().text())
                + ", " + seedText();
        return varied.isEmpty() ? title : "First of the settings (" + varied + "): " + title;
    }

    private String seedText() {
        return seeds.size() == 1
                ? "seed " + seeds.get(0)
                : seeds.size() + " seeds (" + seeds.get(0) + " … " + seeds.get(seeds.size() - 1) + ")";
    }

    private Table table(Map<String, List<Measured>> byVariation) {
        boolean varied =
                byVariation.size() > 1 || !runs.get(0).setting().variation().isEmpty();
        boolean failures = runs.stream().anyMatch(r -> r.summary().failed() > 0);
        List<Metric> metrics = Metric.columns(wide, failures);
        Table table = new Table();
        if (varied) {
            table.words("varied");
        }
        table.words("policy");
        metrics.forEach(m -> table.numbers(m.header(), m.importance()));
        table.numbers("JCT vs\n" + baseline(runs.get(0)), 10);
        boolean first = true;
        for (Map.Entry<String, List<Measured>> group : byVariation.entrySet()) {
            if (!first) {
                table.space();
            }
            first = false;
            rows(group.getKey(), group.getValue(), varied, metrics, table);
        }
        return table;
    }

    /** Parameters may differ from setting to setting, so the name alone stands in the header. */
    private static String baseline(Measured first) {
        return first.setting().policies().get(0).info().name();
    }

    private static void rows(
            String variation, List<Measured> group, boolean varied, List<Metric> metrics, Table table) {
        Map<String, List<Measured>> byPolicy = new LinkedHashMap<>();
        for (Measured run : group) {
            byPolicy.computeIfAbsent(run.policy().text(), p -> new ArrayList<>())
                    .add(run);
        }
        List<List<Measured>> rows = List.copyOf(byPolicy.values());
        Map<Metric, List<Double>> columns = new LinkedHashMap<>();
        metrics.forEach(m ->
                columns.put(m, rows.stream().map(row -> estimate(m, row).mean()).toList()));
        // An interruption may have cut off the very policy that the others are measured against.
        Measured top = group.get(0);
        boolean baseline = top.policy().equals(top.setting().policies().get(0));
        for (List<Measured> row : rows) {
            Measured one = row.get(0);
            List<Table.Cell> cells = new ArrayList<>();
            if (varied) {
                cells.add(Table.Cell.of(variation));
            }
            cells.add(Table.Cell.of(one.policy().text() + (one.clairvoyant() ? "*" : "")));
            for (Metric metric : metrics) {
                Estimate estimate = estimate(metric, row);
                boolean best = metric.best(estimate.mean(), columns.getOrDefault(metric, List.of()));
                cells.add(new Table.Cell(metric.show(estimate), best));
            }
            cells.add(Table.Cell.of(row == rows.get(0) || !baseline ? "" : against(rows.get(0), row)));
            table.row(cells);
        }
    }

    private static Estimate estimate(Metric metric, List<Measured> row) {
        return Estimate.of(row.stream().map(metric.value()::applyAsDouble).toList());
    }

    /** Seed by seed, since the same seed is the same workload. */
    private static String against(List<Measured> baseline, List<Measured> row) {
        Map<Long, Double> bySeed = new LinkedHashMap<>();
        baseline.forEach(run -> bySeed.put(run.result().seed(), run.meanJctSeconds()));
        List<Double> changes = new ArrayList<>();
        for (Measured run : row) {
            Double reference = bySeed.get(run.result().seed());
            if (reference != null && reference > 0) {
                changes.add(run.meanJctSeconds() / reference - 1);
            }
        }
        Estimate change = Estimate.of(changes);
        return changes.isEmpty()
                ? ""
                : Humane.change(change.mean())
                        + (change.halfWidth() > 0 ? " ±" + Humane.percent(change.halfWidth()) : "");
    }

    private List<String> legend(int hidden) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "JCT: job completion time, from submission to end. Wait: time in the queue. Trial jobs are the short ones"
                        + " somebody watches; slowdown = 1 + wait ÷ run time. Pauses: jobs set aside for others. Overhead: GPU-time"
                        + " spent loading and pausing. • best of its column."
                        + (seeds.size() > 1 ? " ±: 95 % confidence." : ""));
        double bound = runs.stream()
                .mapToDouble(r -> r.result().lowerBoundMeanJctSeconds())
                .average()
                .orElse(0);
        boolean one = runs.get(0).setting().variation().isEmpty();
        lines.add((one
                        ? "No schedule can have a mean JCT below " + Humane.time(bound) + " here"
                        : "No schedule can beat the bound")
                + "; 'above bound' is the distance to that.");
        if (runs.stream().anyMatch(Measured::clairvoyant)) {
            lines.add("* is told every run time in advance (estimator oracle), which nobody knows in real life:"
                    + " try --estimator noisy:0.5 or declared.");
        }
        if (hidden > 0) {
            lines.add(hidden + (hidden == 1 ? " column" : " columns") + " did not fit: -o wide shows everything.");
        }
        PolicySpec best = runs.stream()
                .min(Comparator.comparingDouble(Measured::meanJctSeconds))
                .orElseThrow()
                .policy();
        lines.add("Next: fermata policies " + best.info().name()
                + (seeds.size() > 1 ? "" : " · fermata compare --seeds 1..5")
                + " · fermata compare --vary load=0.7,0.9,1.1 · fermata simulate --policy " + best.text()
                + " --jobs-out jobs.csv");
        return lines;
    }

    private void paragraph(String text) {
        Words.wrap(text, Math.min(WIDEST_TEXT, screen.columns())).forEach(line -> out.println(screen.faint(line)));
    }
}
