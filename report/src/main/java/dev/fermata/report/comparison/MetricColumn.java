package dev.fermata.report.comparison;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import dev.fermata.sim.experiment.ConfidenceInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/** A column of the comparison: where its number comes from, how it is shown, and which end of it is good. */
record MetricColumn(
        String header,
        int importance,
        Preference preference,
        boolean interval,
        ToDoubleFunction<MeasuredRun> value,
        DoubleFunction<String> format) {
    /** Which values are the better ones. */
    enum Preference {
        LOW,
        HIGH,
        NEITHER
    }

    static final String MEAN_JCT = "mean\nJCT";
    /** Columns about trial jobs begin so. */
    private static final String TRIAL = "trial ";

    private static final List<MetricColumn> DEFAULT_COLUMNS = List.of(
            lowerIsBetter(MEAN_JCT, TextTable.ALWAYS, true, m -> m.meanJctSeconds(), HumanFormat::time),
            lowerIsBetter("median\nJCT", 3, false, m -> m.summary().all().jct().median(), HumanFormat::time),
            lowerIsBetter("p95\nJCT", 4, false, m -> m.summary().all().jct().p95(), HumanFormat::time),
            lowerIsBetter(
                    "mean\nwait", 9, true, m -> m.summary().all().waiting().mean(), HumanFormat::time),
            lowerIsBetter(
                    TRIAL + "p95\nslowdown",
                    8,
                    false,
                    m -> m.summary().trial().slowdown().p95(),
                    HumanFormat::number),
            higherIsBetter("GPUs\nbusy", 6, m -> m.summary().gpuUtilization(), HumanFormat::percent),
            neutral("\npauses", 7, m -> m.summary().preemptions(), HumanFormat::count),
            neutral("over-\nhead", 5, MeasuredRun::overheadShare, HumanFormat::percent),
            neutral("above\nbound", TextTable.ALWAYS, MeasuredRun::optimalityGap, HumanFormat::percent));

    private static final List<MetricColumn> WIDE_COLUMNS = List.of(
            lowerIsBetter("p99\nJCT", 1, false, m -> m.summary().all().jct().p99(), HumanFormat::time),
            lowerIsBetter("max\nJCT", 1, false, m -> m.summary().all().jct().max(), HumanFormat::time),
            lowerIsBetter(
                    TRIAL + "mean\nJCT",
                    1,
                    false,
                    m -> m.summary().trial().jct().mean(),
                    HumanFormat::time),
            lowerIsBetter(
                    "batch mean\nJCT", 1, false, m -> m.summary().batch().jct().mean(), HumanFormat::time),
            lowerIsBetter("\nmakespan", 1, false, m -> m.summary().makespanSeconds(), HumanFormat::time),
            lowerIsBetter("\nfragmented", 1, false, m -> m.summary().fragmentation(), HumanFormat::percent),
            lowerIsBetter("\nnetwork", 1, false, m -> m.summary().communicationShare(), HumanFormat::percent),
            higherIsBetter("\nfairness", 1, m -> m.summary().all().jainFairness(), HumanFormat::number),
            lowerIsBetter("GPU-time\nlost", 1, false, m -> m.summary().gpuTime().lost() / 1000.0, HumanFormat::time));

    private static final MetricColumn FAILED =
            lowerIsBetter("\nfailed", TextTable.ALWAYS, false, m -> m.summary().failed(), HumanFormat::count);

    private static final MetricColumn ESTIMATES = neutral(
            "estimates\nwrong by",
            2,
            m -> m.result().estimateError(),
            error -> HumanFormat.number(StrictMath.exp(error)) + "×");

    /** Failed jobs, trial jobs and estimates that were wrong have columns only where there are any. */
    static List<MetricColumn> columns(boolean wide, List<MeasuredRun> runs) {
        List<MetricColumn> columns = new ArrayList<>(DEFAULT_COLUMNS);
        if (wide) {
            columns.addAll(WIDE_COLUMNS);
        }
        if (runs.stream().anyMatch(r -> r.summary().failed() > 0)) {
            columns.add(FAILED);
        }
        if (runs.stream().anyMatch(r -> r.result().estimateError() > 0)) {
            columns.add(ESTIMATES);
        }
        if (!hasTrials(runs)) {
            columns.removeIf(column -> column.header.startsWith(TRIAL));
        }
        return columns;
    }

    /** Whether there are trial jobs to speak of. */
    static boolean hasTrials(List<MeasuredRun> runs) {
        return runs.stream().anyMatch(r -> r.summary().trial().jobs() > 0);
    }

    String format(ConfidenceInterval estimate) {
        return format.apply(estimate.mean())
                + (interval && estimate.halfWidth() > 0 ? " ±" + format.apply(estimate.halfWidth()) : "");
    }

    /** Whether this value reads as good as the best of them, and not all do. */
    boolean isBest(double value, List<Double> all) {
        double low = all.stream().mapToDouble(v -> v).min().orElse(value);
        double high = all.stream().mapToDouble(v -> v).max().orElse(value);
        String shown = format.apply(value);
        boolean differ = !format.apply(low).equals(format.apply(high));
        return differ
                && preference != Preference.NEITHER
                && shown.equals(format.apply(preference == Preference.LOW ? low : high));
    }

    private static MetricColumn lowerIsBetter(
            String header,
            int importance,
            boolean interval,
            ToDoubleFunction<MeasuredRun> value,
            DoubleFunction<String> show) {
        return new MetricColumn(header, importance, Preference.LOW, interval, value, show);
    }

    private static MetricColumn higherIsBetter(
            String header, int importance, ToDoubleFunction<MeasuredRun> value, DoubleFunction<String> show) {
        return new MetricColumn(header, importance, Preference.HIGH, false, value, show);
    }

    private static MetricColumn neutral(
            String header, int importance, ToDoubleFunction<MeasuredRun> value, DoubleFunction<String> show) {
        return new MetricColumn(header, importance, Preference.NEITHER, false, value, show);
    }
}
