package dev.fermata.research.judge;

import dev.fermata.insight.format.HumanFormat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The results of all cells held against the bars. */
public final class Judgement {
    private static final String ORACLE = "oracle";
    private static final String PROGRESS = "progress";
    private static final String PARTIAL = "progress:share=0.7,error=0.2";

    /** The estimators of the protocol. */
    public static final List<String> ESTIMATORS =
            List.of(ORACLE, "noisy:0.5", "noisy:1", "declared", "history", "none", PROGRESS, PARTIAL);

    /** The cell of the default table, on which preemptions are counted. */
    private static final String DEFAULT_CELL = "128 GPUs";

    /** One bar in one cell, or over all cells where the cell is empty. */
    public record BarCheck(JudgeFiles.Bar bar, String cell, double value) {
        public boolean holds() {
            return value <= bar.limit();
        }
    }

    private final List<CellResult> results;
    private final Map<String, JudgeFiles.Bar> bars;
    private final List<BarCheck> barChecks = new ArrayList<>();

    public static Judgement of(List<CellResult> results, Map<String, JudgeFiles.Bar> bars) {
        return new Judgement(results, bars);
    }

    private Judgement(List<CellResult> results, Map<String, JudgeFiles.Bar> bars) {
        this.results = List.copyOf(results);
        this.bars = bars;
        each("mean", r -> true, r -> r.change(r.bestOther()).change().mean());
        over(
                "lead",
                r -> r.cell().isGenerated(),
                r -> r.change(r.bestOther()).change().mean());
        each(
                "las",
                r -> r.estimator().equals("none") && r.jobsWait(),
                r -> r.change("las").change().mean());
        each("trials", CellResult::hasTrials, CellResult::trialP95Slowdown);
        each("longest", r -> true, CellResult::longestAgainstService);
        each(
                "preemptions",
                r -> r.cell().name().equals(DEFAULT_CELL) && r.estimator().equals(ORACLE),
                CellResult::preemptionsAgainstService);
        againstOracle("progress", PROGRESS);
        againstOracle("partial", PARTIAL);
    }

    public List<CellResult> results() {
        return results;
    }

    public List<BarCheck> barChecks() {
        return List.copyOf(barChecks);
    }

    /** How many bars are met in all of their cells. */
    public long barsMet() {
        return bars.keySet().stream().filter(this::isJudged).filter(this::isMet).count();
    }

    public long barsJudged() {
        return bars.keySet().stream().filter(this::isJudged).count();
    }

    /** A line per bar: in how many cells it holds, and where it is furthest from it. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (JudgeFiles.Bar bar : bars.values()) {
            List<BarCheck> own = of(bar.name());
            if (own.isEmpty()) {
                lines.add("– " + bar.name() + ": no cell to judge it in");
                continue;
            }
            long holds = own.stream().filter(BarCheck::holds).count();
            BarCheck worst = own.stream()
                    .max(Comparator.comparingDouble(BarCheck::value))
                    .orElseThrow();
            lines.add(
                    (holds == own.size() ? "✓ " : "✗ ") + bar.name() + " (" + format(bar, bar.limit()) + "): holds in "
                            + holds + " of " + HumanFormat.amount(own.size(), "cell") + "; worst "
                            + format(bar, worst.value()) + (worst.cell().isEmpty() ? "" : " (" + worst.cell() + ")"));
        }
        return lines;
    }

    /** Changes are in percent, multiples are numbers. */
    static String format(JudgeFiles.Bar bar, double value) {
        return bar.limit() < 1 ? HumanFormat.change(value) : HumanFormat.number(value);
    }

    private boolean isJudged(String bar) {
        return !of(bar).isEmpty();
    }

    private boolean isMet(String bar) {
        return of(bar).stream().allMatch(BarCheck::holds);
    }

    private List<BarCheck> of(String bar) {
        return barChecks.stream().filter(v -> v.bar().name().equals(bar)).toList();
    }

    private void each(String bar, Predicate<CellResult> counts, ToDoubleFunction<CellResult> value) {
        results.stream()
                .filter(counts)
                .forEach(r -> barChecks.add(new BarCheck(bar(bar), r.label(), value.applyAsDouble(r))));
    }

    private void over(String bar, Predicate<CellResult> counts, ToDoubleFunction<CellResult> value) {
        results.stream()
                .filter(counts)
                .mapToDouble(value)
                .average()
                .ifPresent(mean -> barChecks.add(new BarCheck(bar(bar), "", mean)));
    }

    private void againstOracle(String bar, String estimator) {
        for (CellResult result : results) {
            CellResult oracle = result.estimator().equals(estimator) ? find(result.cell(), ORACLE) : null;
            if (oracle != null) {
                barChecks.add(new BarCheck(
                        bar(bar),
                        result.label(),
                        result.changeFrom(oracle).change().mean()));
            }
        }
    }

    private @Nullable CellResult find(JudgeCell cell, String estimator) {
        return results.stream()
                .filter(r -> r.cell().equals(cell) && r.estimator().equals(estimator))
                .findFirst()
                .orElse(null);
    }

    private JudgeFiles.Bar bar(String name) {
        JudgeFiles.Bar bar = bars.get(name);
        if (bar == null) {
            throw new IllegalStateException("bars.csv has no bar '" + name + "'");
        }
        return bar;
    }
}
