package dev.fermata.research.xonar;

import dev.fermata.core.measure.JobResult;
import dev.fermata.research.Measurement;
import dev.fermata.sim.experiment.RunResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The result of one run, in seconds. Jobs that failed after running out of memory too often count with the time they
 * had wasted by then; leaving them out would flatter the policy.
 */
record CompletionTails(
        double makespan,
        double mean,
        double p95,
        double p99,
        double max,
        int oomFailures,
        int abandonedJobs,
        double busyShare) {
    static final List<String> COLUMNS = List.of(
            "policy", "makespan s", "mean JCT s", "p95 JCT s", "p99 JCT s", "max JCT s", "OoM", "given up", "busy");

    static CompletionTails of(RunResult result) {
        double[] jct = result.jobs().stream()
                .mapToDouble(JobResult::jctMillis)
                .sorted()
                .toArray();
        return new CompletionTails(
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

    /** One row of a table: means over all runs of a policy. */
    static List<String> row(String policy, List<CompletionTails> runs) {
        List<String> row = new ArrayList<>(List.of(policy));
        for (ToDoubleFunction<CompletionTails> seconds : List.<ToDoubleFunction<CompletionTails>>of(
                CompletionTails::makespan,
                CompletionTails::mean,
                CompletionTails::p95,
                CompletionTails::p99,
                CompletionTails::max)) {
            row.add(String.format(Locale.ROOT, "%.0f", mean(runs, seconds)));
        }
        row.add(String.format(Locale.ROOT, "%.1f", mean(runs, CompletionTails::oomFailures)));
        row.add(String.format(Locale.ROOT, "%.1f", mean(runs, CompletionTails::abandonedJobs)));
        row.add(percent(mean(runs, CompletionTails::busyShare)));
        return row;
    }

    static double mean(List<CompletionTails> runs, ToDoubleFunction<CompletionTails> measure) {
        return runs.stream().mapToDouble(measure).average().orElse(0);
    }

    /** By how much a policy lowers a measure, queue by queue; positive is better. */
    static Measurement reduction(
            List<CompletionTails> policy, List<CompletionTails> baseline, ToDoubleFunction<CompletionTails> measure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < policy.size(); i++) {
            ratios.add(1 - measure.applyAsDouble(policy.get(i)) / measure.applyAsDouble(baseline.get(i)));
        }
        return Measurement.of(ratios, XonarSetting.UNIT);
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
