package dev.fermata.insight.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * How closely a simulation matches the recorded run, metric by metric and job by job, since errors may cancel out in a
 * mean.
 *
 * @param medianJobError of |simulated ÷ real − 1| of the completion times of the jobs that completed in both
 */
public record Fidelity(List<MetricError> metricErrors, double medianJobError) {
    private static final double TIGHT = 0.05;
    private static final double LOOSE = 0.10;
    private static final double MILLIS = 1000;

    /**
     * One metric.
     *
     * @param tolerance the largest acceptable error, 0 where none is set
     */
    public record MetricError(
            String metric, String label, double recorded, double simulated, double tolerance, boolean seconds) {
        /** Simulated against real; 0 where both are zero, infinite where only the real value is. */
        public double error() {
            return recorded == simulated ? 0 : simulated / recorded - 1;
        }

        public boolean holds() {
            return tolerance == 0 || Math.abs(error()) <= tolerance;
        }

        private String format(double value) {
            DoubleFunction<String> shown = seconds ? Fidelity::formatTime : HumanFormat::number;
            return shown.apply(value);
        }

        List<String> cells() {
            String error = Double.isFinite(error()) ? HumanFormat.change(error()) : "–";
            String outcome = tolerance == 0 ? "" : (holds() ? "within " : "above ") + HumanFormat.percent(tolerance);
            return List.of(label, format(recorded), format(simulated), error, outcome);
        }
    }

    private record ComparedMetric(
            String name, String label, double tolerance, boolean seconds, ToDoubleFunction<MetricsSummary> value) {}

    private static final List<ComparedMetric> METRICS = List.of(
            new ComparedMetric(
                    "meanJctSeconds",
                    "mean JCT",
                    TIGHT,
                    true,
                    s -> s.all().jct().mean()),
            new ComparedMetric(
                    "p95JctSeconds", "p95 JCT", LOOSE, true, s -> s.all().jct().p95()),
            new ComparedMetric(
                    "meanWaitSeconds",
                    "mean wait",
                    TIGHT,
                    true,
                    s -> s.all().waiting().mean()),
            new ComparedMetric(
                    "p95WaitSeconds",
                    "p95 wait",
                    LOOSE,
                    true,
                    s -> s.all().waiting().p95()),
            new ComparedMetric(
                    "meanSlowdown",
                    "mean slowdown",
                    0,
                    false,
                    s -> s.all().slowdown().mean()),
            new ComparedMetric("makespanSeconds", "makespan", 0, true, MetricsSummary::makespanSeconds),
            new ComparedMetric("preemptions", "pauses", 0, false, MetricsSummary::preemptions),
            new ComparedMetric(
                    "overheadGpuSeconds",
                    "GPU-time loading and pausing",
                    0,
                    true,
                    s -> s.gpuTime().overhead() / MILLIS),
            new ComparedMetric(
                    "lostGpuSeconds", "GPU-time lost", 0, true, s -> s.gpuTime().lost() / MILLIS));

    public static Fidelity of(MeasuredRun real, MeasuredRun simulated) {
        List<MetricError> entries = METRICS.stream()
                .map(metric -> new MetricError(
                        metric.name,
                        metric.label,
                        metric.value.applyAsDouble(real.summary()),
                        metric.value.applyAsDouble(simulated.summary()),
                        metric.tolerance,
                        metric.seconds))
                .toList();
        return new Fidelity(
                entries, medianError(real.result().jobs(), simulated.result().jobs()));
    }

    private static double medianError(List<JobResult> real, List<JobResult> simulated) {
        Map<Long, Long> jct = new HashMap<>();
        real.stream().filter(Fidelity::completed).forEach(job -> jct.put(job.id(), job.jctMillis()));
        double[] errors = simulated.stream()
                .filter(job -> completed(job) && jct.containsKey(job.id()))
                .mapToDouble(job ->
                        Math.abs((double) job.jctMillis() / Math.max(1, jct.getOrDefault(job.id(), 1L)) - 1))
                .toArray();
        Arrays.sort(errors);
        return errors.length == 0 ? 0 : errors[errors.length / 2];
    }

    private static boolean completed(JobResult job) {
        return job.state() == JobState.COMPLETED;
    }

    /** Whether every metric with a tolerance is within it. */
    public boolean holds() {
        return metricErrors.stream().allMatch(MetricError::holds);
    }

    public MetricError error(String metric) {
        return metricErrors.stream()
                .filter(entry -> entry.metric.equals(metric))
                .findFirst()
                .orElseThrow();
    }

    public ResultTable sheet(String policy) {
        List<List<String>> rows = new ArrayList<>();
        metricErrors.forEach(entry -> rows.add(entry.cells()));
        return new ResultTable(
                "What happened, and " + policy + " in the simulator on the same jobs",
                List.of("metric", "real", "simulated", "error", "aim"),
                rows);
    }

    /** Times here are small. */
    public static String formatTime(double seconds) {
        return seconds < 100 ? HumanFormat.number(seconds) + "s" : HumanFormat.time(seconds);
    }
}
