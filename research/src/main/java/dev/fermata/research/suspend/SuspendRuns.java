package dev.fermata.research.suspend;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.Finding;
import dev.fermata.research.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The runs of one setting or of the traces: a sample is a seed or a trace. */
final class SuspendRuns {
    private static final double MILLIS_PER_HOUR = 3_600_000;

    private final String label;
    private final String unit;
    private final List<SuspendRun> runs = new ArrayList<>();

    /** One run. */
    record SuspendRun(double cannotSave, String policy, long sample, MetricsSummary summary) {}

    SuspendRuns(String label, String unit) {
        this.label = label;
        this.unit = unit;
    }

    void add(SuspendRun run) {
        runs.add(run);
    }

    ResultTable table() {
        List<List<String>> rows = new ArrayList<>();
        for (double share : SuspendReproduction.CANNOT_SAVE) {
            for (String policy : SuspendReproduction.POLICIES) {
                rows.add(List.of(
                        percent(share),
                        policy,
                        number(mean(share, policy, SuspendRuns::lostGpuHours)),
                        number(mean(share, policy, s -> s.all().jct().mean())),
                        number(mean(share, policy, s -> s.trial().waiting().p95())),
                        number(mean(share, policy, MetricsSummary::preemptions))));
            }
        }
        return new ResultTable(
                label,
                List.of("cannot save", "policy", "GPU-h lost", "mean JCT s", "trial p95 wait s", "preemptions"),
                rows);
    }

    /** What suspension saves against checkpoints alone: of lost GPU-time, of completion times, of the wait of trials. */
    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        for (double share : SuspendReproduction.CANNOT_SAVE) {
            String setting = label + ", " + percent(share) + " cannot save";
            findings.add(reduction("lostGpuTimeReduction", share, setting, SuspendRuns::lostGpuHours));
            findings.add(reduction(
                    "meanJctReduction", share, setting, s -> s.all().jct().mean()));
            findings.add(reduction(
                    "trialWaitReduction",
                    share,
                    setting,
                    s -> s.trial().waiting().p95()));
        }
        return findings;
    }

    private Finding reduction(String metric, double share, String setting, ToDoubleFunction<MetricsSummary> measure) {
        List<Double> values = new ArrayList<>();
        for (SuspendRun run : runs) {
            if (run.cannotSave == share && run.policy.equals(SuspendReproduction.SUSPEND)) {
                double with = measure.applyAsDouble(run.summary);
                double without = measure.applyAsDouble(other(run).summary);
                values.add(without == 0 ? 0 : 1 - with / without);
            }
        }
        return Finding.difference(
                SuspendReproduction.NAME,
                metric,
                SuspendReproduction.SUSPEND,
                SuspendReproduction.CHECKPOINT,
                Measurement.of(values, unit),
                setting,
                "paired by " + unit);
    }

    private SuspendRun other(SuspendRun run) {
        return runs.stream()
                .filter(r -> r.cannotSave == run.cannotSave
                        && r.sample == run.sample
                        && r.policy.equals(SuspendReproduction.CHECKPOINT))
                .findFirst()
                .orElseThrow();
    }

    /** Work done again, and GPUs held while saving, loading, suspending and resuming. */
    private static double lostGpuHours(MetricsSummary summary) {
        return (summary.gpuTime().lost() + summary.gpuTime().overhead()) / MILLIS_PER_HOUR;
    }

    private double mean(double share, String policy, ToDoubleFunction<MetricsSummary> measure) {
        return runs.stream()
                .filter(run -> run.cannotSave == share && run.policy.equals(policy))
                .mapToDouble(run -> measure.applyAsDouble(run.summary))
                .average()
                .orElse(0);
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%,.1f" : "%,.0f", value);
    }
}
