package dev.fermata.app.report;

import dev.fermata.app.input.Setting;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.Words;
import dev.fermata.app.run.Measured;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.experiment.Paired;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Policies side by side, a row each (means over the seeds), and what a newcomer needs to read them. */
public final class ComparisonTable {
    private static final int WIDEST_TEXT = 110;

    private final List<Measured> runs;
    private final Comparison comparison;
    private final int baseline;
    private final List<Long> seeds;
    private final boolean wide;
    private final Screen screen;
    private final PrintWriter out;
    private @Nullable String next;

    /** @param baseline place of the policy that the others are held against */
    public ComparisonTable(
            List<Measured> runs, int baseline, List<Long> seeds, boolean wide, Screen screen, PrintWriter out) {
        this.runs = runs;
        this.comparison = Comparison.of(runs, baseline);
        this.baseline = baseline;
        this.seeds = seeds;
        this.wide = wide;
        this.screen = screen;
        this.out = out;
    }

    /** What to try next, where other than what compares policies. */
    public ComparisonTable next(String commands) {
        next = commands;
        return this;
    }

    public void print() {
        if (runs.isEmpty()) {
            return;
        }
        Words.wrap(title(), screen.columns()).forEach(out::println);
        out.println();
        Table table = table();
        // A wide table is asked for whole, whatever the screen.
        table.render(wide ? screen.unlimited() : screen).forEach(out::println);
        out.println();
        legend(table.hidden()).forEach(this::paragraph);
        out.flush();
    }

    private String title() {
        Measured first = runs.get(0);
        Setting setting = first();
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

    private Setting first() {
        return runs.get(0).setting();
    }

    private String seedText() {
        return seeds.size() == 1
                ? "seed " + seeds.get(0)
                : seeds.size() + " seeds (" + seeds.get(0) + " … " + seeds.get(seeds.size() - 1) + ")"
                        + (cutOff() ? ", cut off: each row is over the seeds that were done" : "");
    }

    /** Whether rows are over different seeds, so that nobody can be called the best. */
    private boolean cutOff() {
        return comparison.rows().stream().anyMatch(row -> row.runs().size() < seeds.size());
    }

    private Table table() {
        List<Metric> metrics = Metric.columns(wide, runs);
        Table table = new Table();
        varied().forEach(table::words);
        table.words("policy");
        metrics.forEach(m -> table.numbers(m.header(), m.importance()));
        // Parameters may differ from setting to setting, so the name alone stands in the header.
        table.numbers("JCT vs\n" + baselineName(), 10);
        if (seeds.size() > 1) {
            table.numbers("better\nin", 2);
        }
        if (cutOff()) {
            table.numbers("seeds\ndone", Table.ALWAYS);
        }
        boolean first = true;
        for (Comparison.Group group : comparison.groups()) {
            if (!first) {
                table.space();
            }
            first = false;
            rows(group, metrics, table);
        }
        return table;
    }

    private String baselineName() {
        return first().policies().get(baseline).name();
    }

    private Set<String> varied() {
        return first().varied().keySet();
    }

    private void rows(Comparison.Group group, List<Metric> metrics, Table table) {
        Map<Metric, List<Double>> columns = new LinkedHashMap<>();
        metrics.forEach(m -> columns.put(
                m,
                group.rows().stream().map(row -> row.estimate(m.value()).mean()).toList()));
        for (Comparison.Row row : group.rows()) {
            Measured one = row.first();
            List<Table.Cell> cells = variedCells(group);
            cells.add(Table.Cell.of(one.policy().text() + (one.clairvoyant() ? "*" : "")));
            for (Metric metric : metrics) {
                Estimate estimate = row.estimate(metric.value());
                boolean best = !cutOff() && metric.best(estimate.mean(), columns.getOrDefault(metric, List.of()));
                cells.add(new Table.Cell(metric.show(estimate), best));
            }
            Paired paired = row.againstBaseline();
            boolean silent = row.isBaseline() || paired.pairs() == 0;
            cells.add(Table.Cell.of(silent ? "" : change(paired)));
            if (seeds.size() > 1) {
                cells.add(Table.Cell.of(silent ? "" : paired.lower() + " of " + paired.pairs()));
            }
            if (cutOff()) {
                cells.add(Table.Cell.of(Humane.count(row.runs().size())));
            }
            table.row(cells);
        }
        bound(group, metrics, table);
    }

    /** What no schedule can beat, in the column it belongs to. */
    private void bound(Comparison.Group group, List<Metric> metrics, Table table) {
        List<Table.Cell> cells = variedCells(group);
        cells.add(Table.Cell.of("(lower bound)"));
        for (Metric metric : metrics) {
            cells.add(Table.Cell.of(metric.header().equals(Metric.MEAN_JCT) ? metric.show(group.lowerBound()) : ""));
        }
        cells.add(Table.Cell.of(""));
        if (seeds.size() > 1) {
            cells.add(Table.Cell.of(""));
        }
        if (cutOff()) {
            cells.add(Table.Cell.of(""));
        }
        table.row(cells);
    }

    private static List<Table.Cell> variedCells(Comparison.Group group) {
        List<Table.Cell> cells = new ArrayList<>();
        group.setting().varied().values().forEach(value -> cells.add(Table.Cell.of(value)));
        return cells;
    }

    private String change(Paired paired) {
        Estimate change = paired.change();
        String text = Humane.change(change.mean())
                + (change.halfWidth() > 0 ? " ±" + Humane.percent(change.halfWidth()) : "");
        String mark = !paired.clear() ? " " : change.mean() < 0 ? "↓" : "↑";
        return seeds.size() > 1 ? text + mark : text;
    }

    private List<String> legend(int hidden) {
        List<String> lines = new ArrayList<>();
        lines.add("JCT: job completion time, from submission to end. Wait: time in the queue."
                + (Metric.trials(runs)
                        ? " Trial jobs are the short ones somebody watches; slowdown = 1 + wait ÷ run time."
                        : "")
                + " Pauses: jobs set aside for others. Overhead: GPU-time spent loading and pausing."
                + " • best of its column."
                + (seeds.size() > 1
                        ? " ±: 95 % confidence. ↓ ↑: lower or higher than " + baselineName()
                                + " beyond chance, seed by seed; better in: on so many seeds."
                        : ""));
        lines.add("No schedule can have a mean JCT below the lower bound; 'above bound' is the distance to it.");
        if (seeds.size() > 1 && comparison.rows().stream().allMatch(ComparisonTable::sameOnEverySeed)) {
            lines.add("The seeds change nothing here, since nothing is random: one would do.");
        }
        if (runs.stream().anyMatch(Measured::clairvoyant)) {
            lines.add("* is told every run time in advance (estimator oracle), which nobody knows in real life:"
                    + " try --estimator noisy:0.5 or history.");
        }
        if (hidden > 0) {
            lines.add(hidden + (hidden == 1 ? " column" : " columns") + " did not fit: -o wide shows everything.");
        }
        lines.add("Next: " + (next == null ? furtherComparisons() : next));
        return lines;
    }

    private String furtherComparisons() {
        PolicySpec best = nearestToTheBound();
        return "fermata policies " + best.info().name()
                + (seeds.size() > 1 ? "" : " · fermata compare --seeds 1..5")
                + " · fermata compare --vary "
                + (first().workload().file().isPresent() ? "speedup=0.7,1,1.3" : "load=0.7,0.9,1.1")
                + " · fermata simulate --policy " + best.text()
                + " --jobs-out jobs.csv";
    }

    /** Settings and seeds weigh the same, however long their jobs are. */
    private PolicySpec nearestToTheBound() {
        Map<PolicySpec, Double> gaps = runs.stream()
                .collect(Collectors.groupingBy(
                        Measured::policy, LinkedHashMap::new, Collectors.averagingDouble(Measured::optimalityGap)));
        return Collections.min(gaps.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    private static boolean sameOnEverySeed(Comparison.Row row) {
        return row.runs().size() > 1
                && row.runs().stream().map(Measured::summary).distinct().count() == 1;
    }

    private void paragraph(String text) {
        Words.wrap(text, Math.min(WIDEST_TEXT, screen.columns())).forEach(line -> out.println(screen.faint(line)));
    }
}
