package dev.fermata.sim.recording;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.JobClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** How long the completed jobs of one size or one class waited, in seconds. Percentiles by nearest rank. */
public record WaitDistribution(
        Grouping grouping,
        String label,
        int jobs,
        double mean,
        double min,
        double p5,
        double p25,
        double median,
        double p75,
        double p95,
        double max) {
    /** What the jobs of a group have in common. */
    public enum Grouping {
        SIZE,
        CLASS;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** By size in steps of powers of two, then by class; groups without jobs are left out. */
    static List<WaitDistribution> of(List<JobResult> results) {
        List<JobResult> done =
                results.stream().filter(r -> r.state() == JobState.COMPLETED).toList();
        int largest = done.stream().mapToInt(JobResult::gpus).max().orElse(0);
        List<WaitDistribution> groups = new ArrayList<>();
        for (long low = 1, high = 1; low <= largest; low = high + 1, high *= 2) {
            long from = low;
            long to = high;
            String label = from == to ? Long.toString(to) : from + "–" + to;
            add(groups, Grouping.SIZE, label, done, r -> r.gpus() >= from && r.gpus() <= to);
        }
        for (JobClass jobClass : JobClass.values()) {
            add(groups, Grouping.CLASS, jobClass.label(), done, r -> r.jobClass() == jobClass);
        }
        return groups;
    }

    /** The mean of the figures of several runs; the jobs are added up. */
    public static WaitDistribution average(List<WaitDistribution> same) {
        return new WaitDistribution(
                same.get(0).grouping,
                same.get(0).label,
                same.stream().mapToInt(WaitDistribution::jobs).sum(),
                mean(same, WaitDistribution::mean),
                mean(same, WaitDistribution::min),
                mean(same, WaitDistribution::p5),
                mean(same, WaitDistribution::p25),
                mean(same, WaitDistribution::median),
                mean(same, WaitDistribution::p75),
                mean(same, WaitDistribution::p95),
                mean(same, WaitDistribution::max));
    }

    private static double mean(List<WaitDistribution> groups, ToDoubleFunction<WaitDistribution> figure) {
        return groups.stream().mapToDouble(figure).average().orElse(0);
    }

    private static void add(
            List<WaitDistribution> groups,
            Grouping grouping,
            String label,
            List<JobResult> jobs,
            Predicate<JobResult> belongs) {
        double[] waits = jobs.stream()
                .filter(belongs)
                .mapToDouble(r -> r.waitMillis() / 1000.0)
                .sorted()
                .toArray();
        if (waits.length > 0) {
            groups.add(new WaitDistribution(
                    grouping,
                    label,
                    waits.length,
                    Arrays.stream(waits).average().orElse(0),
                    waits[0],
                    percentile(waits, 5),
                    percentile(waits, 25),
                    percentile(waits, 50),
                    percentile(waits, 75),
                    percentile(waits, 95),
                    waits[waits.length - 1]));
        }
    }

    private static double percentile(double[] sorted, int percent) {
        return sorted[Math.max(0, (int) Math.ceil(percent / 100.0 * sorted.length) - 1)];
    }
}
