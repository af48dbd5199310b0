package dev.fermata.sim.portrait;

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
public record Group(
        Kind kind,
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
    public enum Kind {
        SIZE,
        CLASS;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** By size in steps of powers of two, then by class; groups without jobs are left out. */
    static List<Group> of(List<JobResult> results) {
        List<JobResult> done =
                results.stream().filter(r -> r.state() == JobState.COMPLETED).toList();
        int largest = done.stream().mapToInt(JobResult::gpus).max().orElse(0);
        List<Group> groups = new ArrayList<>();
        for (long low = 1, high = 1; low <= largest; low = high + 1, high *= 2) {
            long from = low;
            long to = high;
            String label = from == to ? Long.toString(to) : from + "–" + to;
            add(groups, Kind.SIZE, label, done, r -> r.gpus() >= from && r.gpus() <= to);
        }
        for (JobClass jobClass : JobClass.values()) {
            add(groups, Kind.CLASS, jobClass.label(), done, r -> r.jobClass() == jobClass);
        }
        return groups;
    }

    /** The mean of the figures of several runs; the jobs are added up. */
    public static Group together(List<Group> same) {
        return new Group(
                same.get(0).kind,
                same.get(0).label,
                same.stream().mapToInt(Group::jobs).sum(),
                mean(same, Group::mean),
                mean(same, Group::min),
                mean(same, Group::p5),
                mean(same, Group::p25),
                mean(same, Group::median),
                mean(same, Group::p75),
                mean(same, Group::p95),
                mean(same, Group::max));
    }

    private static double mean(List<Group> groups, ToDoubleFunction<Group> figure) {
        return groups.stream().mapToDouble(figure).average().orElse(0);
    }

    private static void add(
            List<Group> groups, Kind kind, String label, List<JobResult> jobs, Predicate<JobResult> belongs) {
        double[] waits = jobs.stream()
                .filter(belongs)
                .mapToDouble(r -> r.waitMillis() / 1000.0)
                .sorted()
                .toArray();
        if (waits.length > 0) {
            groups.add(new Group(
                    kind,
                    label,
                    waits.length,
                    Arrays.stream(waits).average().orElse(0),
                    waits[0],
                    rank(waits, 5),
                    rank(waits, 25),
                    rank(waits, 50),
                    rank(waits, 75),
                    rank(waits, 95),
                    waits[waits.length - 1]));
        }
    }

    private static double rank(double[] sorted, int percent) {
        return sorted[Math.max(0, (int) Math.ceil(percent / 100.0 * sorted.length) - 1)];
    }
}
