package dev.fermata.report.comparison;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.experiment.PairedComparison;
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

    private final List<MeasuredRun> runs;
    private final Comparison comparison;
    private final int baseline;
    private final List<Long> seeds;
    private final boolean wide;
    private final Screen screen;
    private final PrintWriter out;
    private @Nullable String nextCommands;

    /** @param baseline place of the policy that the others are held against */
    public ComparisonTable(
            List<MeasuredRun> runs, int baseline, List<Long> seeds, boolean wide, Screen screen, PrintWriter out) {
        this.runs = runs;
        this.comparison = Comparison.of(runs, baseline);
        this.baseline = baseline;
        this.seeds = seeds;
        this.wide = wide;
        this.screen = screen;
        this.out = out;
    }

    /** The next commands to suggest, where they differ from the usual ones. */
    public ComparisonTable nextCommands(String commands) {
        nextCommands = commands;
        return this;
    }

    public void print() {
        if (runs.isEmpty()) {
            return;
        }
        WordWrap.wrap(title(), screen.columns()).forEach(out::println);
        out.println();
        TextTable table = table();
        // A wide table is asked for whole, whatever the screen.
        table.render(wide ? screen.unlimited() : screen).forEach(out::println);
        out.println();
        legend(table.hidden()).forEach(this::paragraph);
        out.flush();
    }

    private String title() {
        MeasuredRun first = runs.get(0);
        ExperimentSetting setting = first();
        String varied = setting.variation();
        String title = setting.cluster().name() + " ("
                + HumanFormat.count(setting.cluster().topology().gpuCount()) + " GPUs), "
                + first.result().workload() + " (" + HumanFormat.count(first.jobs()) + " jobs), estimator "
                + setting.estimator() + ", " + setting.workload().assumptions()
                + (setting.faults().text().equals("none")
                        ? ""
                        : ", faults " + setting.faults().text())
                + setting.modelError().suffix()
                + ", " + seedText();
        return varied.isEmpty() ? title : "First of the settings (" + varied + "): " + title;
    }

    private ExperimentSetting first() {
        return runs.get(0).setting();
    }

    private String seedText() {
        return seeds.size() == 1
                ? "seed " + seeds.get(0)
                : seeds.size() + " seeds (" + seeds.get(0) + " … " + seeds.get(seeds.size() - 1) + ")"
                        + (isCutOff() ? ", cut off: each row is over the seeds that were done" : "");
    }

    /** Whether rows are over different seeds, so that no row can be marked as the best. */
    private boolean isCutOff() {
        return comparison.rows().stream().anyMatch(row -> row.runs().size() < seeds.size());
    }

    private TextTable table() {
        List<MetricColumn> metrics = MetricColumn.columns(wide, runs);
        TextTable table = new TextTable();
        varied().forEach(table::textColumn);
        table.textColumn("policy");
        metrics.forEach(m -> table.numberColumn(m.header(), m.importance()));
        // Parameters may differ from setting to setting, so the name alone stands in the header.
        table.numberColumn("JCT vs\n" + baselineName(), 10);
        if (seeds.size() > 1) {
            table.numberColumn("better\nin", 2);
        }
        if (isCutOff()) {
            table.numberColumn("seeds\ndone", TextTable.ALWAYS);
        }
        boolean first = true;
        for (Comparison.Group group : comparison.groups()) {
            if (!first) {
                table.blankRow();
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

    private void rows(Comparison.Group group, List<MetricColumn> metrics, TextTable table) {
        Map<MetricColumn, List<Double>> columns = new LinkedHashMap<>();
        metrics.forEach(m -> columns.put(
                m,
                group.rows().stream().map(row -> row.estimate(m.value()).mean()).toList()));
        for (Comparison.Row row : group.rows()) {
            MeasuredRun one = row.first();
            List<TextTable.Cell> cells = variedCells(group);
            cells.add(TextTable.Cell.of(one.policy().text() + (one.isClairvoyant() ? "*" : "")));
            for (MetricColumn metric : metrics) {
                ConfidenceInterval estimate = row.estimate(metric.value());
                boolean best = !isCutOff() && metric.isBest(estimate.mean(), columns.getOrDefault(metric, List.of()));
                cells.add(new TextTable.Cell(metric.format(estimate), best));
            }
            PairedComparison paired = row.againstBaseline();
            boolean silent = row.isBaseline() || paired.seedPairs() == 0;
            cells.add(TextTable.Cell.of(silent ? "" : change(paired)));
            if (seeds.size() > 1) {
                cells.add(TextTable.Cell.of(silent ? "" : paired.lower() + " of " + paired.seedPairs()));
            }
            if (isCutOff()) {
                cells.add(TextTable.Cell.of(HumanFormat.count(row.runs().size())));
            }
            table.row(cells);
        }
        bound(group, metrics, table);
    }

    /** What no schedule can beat, in the column it belongs to. */
    private void bound(Comparison.Group group, List<MetricColumn> metrics, TextTable table) {
        List<TextTable.Cell> cells = variedCells(group);
        cells.add(TextTable.Cell.of("(lower bound)"));
        for (MetricColumn metric : metrics) {
            cells.add(TextTable.Cell.of(
                    metric.header().equals(MetricColumn.MEAN_JCT) ? metric.format(group.lowerBound()) : ""));
        }
        cells.add(TextTable.Cell.of(""));
        if (seeds.size() > 1) {
            cells.add(TextTable.Cell.of(""));
        }
        if (isCutOff()) {
            cells.add(TextTable.Cell.of(""));
        }
        table.row(cells);
    }

    private static List<TextTable.Cell> variedCells(Comparison.Group group) {
        List<TextTable.Cell> cells = new ArrayList<>();
        group.setting().varied().values().forEach(value -> cells.add(TextTable.Cell.of(value)));
        return cells;
    }

    private String change(PairedComparison paired) {
        ConfidenceInterval change = paired.change();
        String text = HumanFormat.change(change.mean())
                + (change.halfWidth() > 0 ? " ±" + HumanFormat.percent(change.halfWidth()) : "");
        String mark = !paired.isSignificant() ? " " : change.mean() < 0 ? "↓" : "↑";
        return seeds.size() > 1 ? text + mark : text;
    }

    private List<String> legend(int hidden) {
        List<String> lines = new ArrayList<>();
        lines.add("JCT: job completion time, from submission to end. Wait: time in the queue."
                + (MetricColumn.hasTrials(runs)
                        ? " Trial jobs are the short ones a user waits for; slowdown = 1 + wait ÷ run time."
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
        if (runs.stream().anyMatch(MeasuredRun::isClairvoyant)) {
            lines.add("* knows every run time in advance (estimator oracle), which is unknown in real life:"
                    + " try --estimator noisy:0.5 or history.");
        }
        if (hidden > 0) {
            lines.add(hidden + (hidden == 1 ? " column" : " columns") + " did not fit: -o wide shows everything.");
        }
        lines.add("Next: " + (nextCommands == null ? furtherComparisons() : nextCommands));
        return lines;
    }

    private String furtherComparisons() {
        PolicySpec best = nearestToBound();
        return "fermata policies " + best.info().name()
                + (seeds.size() > 1 ? "" : " · fermata compare --seeds 1..5")
                + " · fermata compare --vary "
                + (first().workload().file().isPresent() ? "speedup=0.7,1,1.3" : "load=0.7,0.9,1.1")
                + " · fermata simulate --policy " + best.text()
                + " --jobs-out jobs.csv";
    }

    /** Settings and seeds weigh the same, however long their jobs are. */
    private PolicySpec nearestToBound() {
        Map<PolicySpec, Double> gaps = runs.stream()
                .collect(Collectors.groupingBy(
                        MeasuredRun::policy,
                        LinkedHashMap::new,
                        Collectors.averagingDouble(MeasuredRun::optimalityGap)));
        return Collections.min(gaps.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    private static boolean sameOnEverySeed(Comparison.Row row) {
        return row.runs().size() > 1
                && row.runs().stream().map(MeasuredRun::summary).distinct().count() == 1;
    }

    private void paragraph(String text) {
        WordWrap.wrap(text, Math.min(WIDEST_TEXT, screen.columns())).forEach(line -> out.println(screen.dim(line)));
    }
}
