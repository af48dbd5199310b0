package dev.fermata.sim.reproduce.xonar;

import dev.fermata.core.measure.JobResult;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.experiment.RunResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What one run came to, in seconds. Jobs that were given up after running out of memory too often count with the time they
 * had wasted by then; leaving them out would flatter whoever gave them up.
 */
record Tails(
        double makespan,
        double mean,
        double p95,
        double p99,
        double max,
        int oomFailures,
        int givenUp,
        double busyShare) {
    static final List<String> COLUMNS = List.of(
            "policy", "makespan s", "mean JCT s", "p95 JCT s", "p99 JCT s", "max JCT s", "OoM", "given up", "busy");

    static Tails of(RunResult result) {
        double[] jct = result.jobs().stream()
                .mapToDouble(JobResult::jctMillis)
                .sorted()
                .toArray();
        return new Tails(
                result.summary().makespanSeconds(),
                Arrays.stream(jct).average().orElse(0) / 1000,
                percentile(jct, 95),
                percentile(jct, 99),
                percentile(jct, 100),
                result.summary().oomFailures(),
                result.summary().failed(),
                result.summary().gpuUtilization());
    }

    private static double percentile(double[] sorted, int percent) {
        int rank = (int) Math.ceil(percent / 100.0 * sorted.length);
        return sorted[Math.max(0, rank - 1)] / 1000;
    }

    /** One line of a sheet: means over all runs of a policy. */
    static List<String> row(String policy, List<Tails> runs) {
        List<String> row = new ArrayList<>(List.of(policy));
        for (ToDoubleFunction<Tails> seconds :
                List.<ToDoubleFunction<Tails>>of(Tails::makespan, Tails::mean, Tails::p95, Tails::p99, Tails::max)) {
            row.add(String.format(Locale.ROOT, "%.0f", mean(runs, seconds)));
        }
        row.add(String.format(Locale.ROOT, "%.1f", mean(runs, Tails::oomFailures)));
        row.add(String.format(Locale.ROOT, "%.1f", mean(runs, Tails::givenUp)));
        row.add(percent(mean(runs, Tails::busyShare)));
        return row;
    }

    static double mean(List<Tails> runs, ToDoubleFunction<Tails> measure) {
        return runs.stream().mapToDouble(measure).average().orElse(0);
    }

    /** By how much a policy lowers a measure, queue by queue; positive is better. */
    static Estimate reduction(List<Tails> policy, List<Tails> baseline, ToDoubleFunction<Tails> measure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < policy.size(); i++) {
            ratios.add(1 - measure.applyAsDouble(policy.get(i)) / measure.applyAsDouble(baseline.get(i)));
        }
        return Estimate.of(ratios);
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
