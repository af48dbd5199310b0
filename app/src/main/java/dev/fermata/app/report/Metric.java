package dev.fermata.app.report;

import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import dev.fermata.app.run.Measured;
import dev.fermata.sim.experiment.Estimate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/** A column of the comparison: where its number comes from, how it is shown, and which end of it is good. */
record Metric(
        String header,
        int importance,
        Good good,
        boolean interval,
        ToDoubleFunction<Measured> value,
        DoubleFunction<String> show) {
    /** Which values are the better ones. */
    enum Good {
        LOW,
        HIGH,
        NEITHER
    }

    static final String MEAN_JCT = "mean\nJCT";
    /** Columns about trial jobs begin so. */
    private static final String TRIAL = "trial ";

    private static final List<Metric> USUAL = List.of(
            low(MEAN_JCT, Table.ALWAYS, true, m -> m.meanJctSeconds(), Humane::time),
            low("median\nJCT", 3, false, m -> m.summary().all().jct().median(), Humane::time),
            low("p95\nJCT", 4, false, m -> m.summary().all().jct().p95(), Humane::time),
            low("mean\nwait", 9, true, m -> m.summary().all().waiting().mean(), Humane::time),
            low(
                    TRIAL + "p95\nslowdown",
                    8,
                    false,
                    m -> m.summary().trial().slowdown().p95(),
                    Humane::number),
            high("GPUs\nbusy", 6, m -> m.summary().gpuUtilization(), Humane::percent),
            plain("\npauses", 7, m -> m.summary().preemptions(), Humane::count),
            plain("over-\nhead", 5, Measured::overheadShare, Humane::percent),
            plain("above\nbound", Table.ALWAYS, Measured::optimalityGap, Humane::percent));

    private static final List<Metric> MORE = List.of(
            low("p99\nJCT", 1, false, m -> m.summary().all().jct().p99(), Humane::time),
            low("max\nJCT", 1, false, m -> m.summary().all().jct().max(), Humane::time),
            low(TRIAL + "mean\nJCT", 1, false, m -> m.summary().trial().jct().mean(), Humane::time),
            low("batch mean\nJCT", 1, false, m -> m.summary().batch().jct().mean(), Humane::time),
            low("\nmakespan", 1, false, m -> m.summary().makespanSeconds(), Humane::time),
            low("\nfragmented", 1, false, m -> m.summary().fragmentation(), Humane::percent),
            low("\nnetwork", 1, false, m -> m.summary().communicationShare(), Humane::percent),
            high("\nfairness", 1, m -> m.summary().all().jainFairness(), Humane::number),
            low("GPU-time\nlost", 1, false, m -> m.summary().gpuTime().lost() / 1000.0, Humane::time));

    private static final Metric FAILED =
            low("\nfailed", Table.ALWAYS, false, m -> m.summary().failed(), Humane::count);

    private static final Metric ESTIMATES = plain(
            "estimates\nwrong by",
            2,
            m -> m.result().estimateError(),
            error -> Humane.number(StrictMath.exp(error)) + "×");

    /** Failed jobs, trial jobs and estimates that were wrong have columns only where there are any. */
    static List<Metric> columns(boolean wide, List<Measured> runs) {
        List<Metric> columns = new ArrayList<>(USUAL);
        if (wide) {
            columns.addAll(MORE);
        }
        if (runs.stream().anyMatch(r -> r.summary().failed() > 0)) {
            columns.add(FAILED);
        }
        if (runs.stream().anyMatch(r -> r.result().estimateError() > 0)) {
            columns.add(ESTIMATES);
        }
        if (!trials(runs)) {
            columns.removeIf(column -> column.header.startsWith(TRIAL));
        }
        return columns;
    }

    /** Whether there are trial jobs to speak of. */
    static boolean trials(List<Measured> runs) {
        return runs.stream().anyMatch(r -> r.summary().trial().jobs() > 0);
    }

    String show(Estimate estimate) {
        return show.apply(estimate.mean())
                + (interval && estimate.halfWidth() > 0 ? " ±" + show.apply(estimate.halfWidth()) : "");
    }

    /** Whether this value reads as good as the best of them, and not all do. */
    boolean best(double value, List<Double> all) {
        double low = all.stream().mapToDouble(v -> v).min().orElse(value);
        double high = all.stream().mapToDouble(v -> v).max().orElse(value);
        String shown = show.apply(value);
        boolean differ = !show.apply(low).equals(show.apply(high));
        return differ && good != Good.NEITHER && shown.equals(show.apply(good == Good.LOW ? low : high));
    }

    private static Metric low(
            String header,
            int importance,
            boolean interval,
            ToDoubleFunction<Measured> value,
            DoubleFunction<String> show) {
        return new Metric(header, importance, Good.LOW, interval, value, show);
    }

    private static Metric high(
            String header, int importance, ToDoubleFunction<Measured> value, DoubleFunction<String> show) {
        return new Metric(header, importance, Good.HIGH, false, value, show);
    }

    private static Metric plain(
            String header, int importance, ToDoubleFunction<Measured> value, DoubleFunction<String> show) {
        return new Metric(header, importance, Good.NEITHER, false, value, show);
    }
}
