package dev.fermata.app.replay;

import dev.fermata.app.output.Humane;
import dev.fermata.app.report.figure.ErrorPlot;
import dev.fermata.app.run.Measured;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.Summary;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * How well a simulation repeats what happened, metric by metric, and job by job: two errors may cancel out in a mean, but not here.
 *
 * @param medianJobError of |simulated ÷ real − 1| of the completion times of the jobs that completed in both
 */
public record Fidelity(List<Line> lines, double medianJobError) {
    private static final double TIGHT = 0.05;
    private static final double LOOSE = 0.10;
    private static final double MILLIS = 1000;

    /**
     * One metric.
     *
     * @param aim the error that is still good, 0 where none is named
     */
    public record Line(String metric, String words, double real, double simulated, double aim, boolean seconds) {
        /** Simulated against real; 0 where both are nothing, infinite where only reality is. */
        public double error() {
            return real == simulated ? 0 : simulated / real - 1;
        }

        public boolean holds() {
            return aim == 0 || Math.abs(error()) <= aim;
        }

        private String show(double value) {
            DoubleFunction<String> shown = seconds ? Fidelity::time : Humane::number;
            return shown.apply(value);
        }

        List<String> cells() {
            String error = Double.isFinite(error()) ? Humane.change(error()) : "–";
            String verdict = aim == 0 ? "" : (holds() ? "within " : "above ") + Humane.percent(aim);
            return List.of(words, show(real), show(simulated), error, verdict);
        }
    }

    private record Metric(String name, String words, double aim, boolean seconds, ToDoubleFunction<Summary> value) {}

    private static final List<Metric> METRICS = List.of(
            new Metric(
                    "meanJctSeconds",
                    "mean JCT",
                    TIGHT,
                    true,
                    s -> s.all().jct().mean()),
            new Metric(
                    "p95JctSeconds", "p95 JCT", LOOSE, true, s -> s.all().jct().p95()),
            new Metric(
                    "meanWaitSeconds",
                    "mean wait",
                    TIGHT,
                    true,
                    s -> s.all().waiting().mean()),
            new Metric(
                    "p95WaitSeconds",
                    "p95 wait",
                    LOOSE,
                    true,
                    s -> s.all().waiting().p95()),
            new Metric(
                    "meanSlowdown",
                    "mean slowdown",
                    0,
                    false,
                    s -> s.all().slowdown().mean()),
            new Metric("makespanSeconds", "makespan", 0, true, Summary::makespanSeconds),
            new Metric("preemptions", "pauses", 0, false, Summary::preemptions),
            new Metric(
                    "overheadGpuSeconds",
                    "GPU-time loading and pausing",
                    0,
                    true,
                    s -> s.gpuTime().overhead() / MILLIS),
            new Metric(
                    "lostGpuSeconds", "GPU-time lost", 0, true, s -> s.gpuTime().lost() / MILLIS));

    public static Fidelity of(Measured real, Measured simulated) {
        List<Line> lines = METRICS.stream()
                .map(metric -> new Line(
                        metric.name,
                        metric.words,
                        metric.value.applyAsDouble(real.summary()),
                        metric.value.applyAsDouble(simulated.summary()),
                        metric.aim,
                        metric.seconds))
                .toList();
        return new Fidelity(
                lines, medianError(real.result().jobs(), simulated.result().jobs()));
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

    /** Whether every metric with an aim is within it. */
    public boolean holds() {
        return lines.stream().allMatch(Line::holds);
    }

    public Line line(String metric) {
        return lines.stream()
                .filter(line -> line.metric.equals(metric))
                .findFirst()
                .orElseThrow();
    }

    /** Seconds, pauses and shares cannot stand side by side, but how far each is off can. */
    public ErrorPlot plot(String policy) {
        return new ErrorPlot(
                "fidelity",
                "How far the simulator is off",
                "Each measure of " + policy
                        + " in the simulator against what happened, as a share of the latter. The band is the aim,"
                        + " where there is one; a diamond missed it.",
                lines.stream()
                        .map(line -> new ErrorPlot.Row(line.words, line.error(), line.aim))
                        .toList());
    }

    public Sheet sheet(String policy) {
        List<List<String>> rows = new ArrayList<>();
        lines.forEach(line -> rows.add(line.cells()));
        return new Sheet(
                "What happened, and " + policy + " in the simulator on the same jobs",
                List.of("metric", "real", "simulated", "error", "aim"),
                rows);
    }

    /** Small times are what this is about. */
    static String time(double seconds) {
        return seconds < 100 ? Humane.number(seconds) + "s" : Humane.time(seconds);
    }
}
