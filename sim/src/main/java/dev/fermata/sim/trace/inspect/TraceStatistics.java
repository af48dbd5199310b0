package dev.fermata.sim.trace.inspect;

import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Counts over all jobs of a trace, made once. */
public final class TraceStatistics {
    /** Where the bars of run times begin, in seconds: about evenly spaced in their logarithm, at times people use. */
    public static final List<Integer> DURATION_BINS =
            List.of(0, 10, 60, 600, 3600, 6 * 3600, 86_400, 3 * 86_400, 10 * 86_400);

    private static final int HOURS = 24;
    private static final int WEEK = 7;
    /** The first of January 1970 was a Thursday; Monday counts as 0 here. */
    private static final int FIRST_WEEKDAY = 3;

    private static final long HOUR_MILLIS = 3_600_000;

    private final double[] seconds;
    private final Map<Integer, GroupTotals> sizes = new TreeMap<>();
    private final long[] durationCounts = new long[DURATION_BINS.size()];
    private final Map<String, GroupTotals> users = new HashMap<>();
    private final Map<String, GroupTotals> queues = new HashMap<>();
    private final Map<String, GroupTotals> models = new HashMap<>();
    private final Map<JobClass, Long> classes = new TreeMap<>();
    private final long[] hours = new long[HOURS];
    private final long[] weekdays = new long[WEEK];
    private final Map<Long, Long> days = new HashMap<>();
    private double gpuSeconds;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private long fractional;
    private long typeConstrained;
    private long elastic;

    /**
     * Looks at every job.
     *
     * @param jobs those that were made of the records, in the same order
     * @param originMillis the date of time zero, where the trace has dates
     */
    public TraceStatistics(List<TraceRecord> records, List<SimulatedJob> jobs, OptionalLong originMillis) {
        seconds = new double[jobs.size()];
        for (int i = 0; i < jobs.size(); i++) {
            count(records.get(i), jobs.get(i), i, originMillis.orElse(0));
        }
        Arrays.sort(seconds);
    }

    private void count(TraceRecord record, SimulatedJob job, int index, long originMillis) {
        double run = job.durationMillis() / 1000.0;
        double work = run * record.maxGpus() * record.gpuMilli() / 1000;
        seconds[index] = run;
        gpuSeconds += work;
        add(sizes, record.maxGpus(), work);
        add(users, record.user(), work);
        add(queues, record.queue(), work);
        if (!record.model().isEmpty()) {
            add(models, record.model(), work);
        }
        classes.merge(record.jobClass(), 1L, Long::sum);
        durationCounts[durationBin(run)]++;
        first = Math.min(first, job.submitMillis());
        last = Math.max(last, job.submitMillis());
        long hour = Math.floorDiv(originMillis + job.submitMillis(), HOUR_MILLIS);
        long day = Math.floorDiv(hour, HOURS);
        hours[Math.floorMod(hour, HOURS)]++;
        weekdays[Math.floorMod(day + FIRST_WEEKDAY, WEEK)]++;
        days.merge(day, 1L, Long::sum);
        fractional += record.gpuMilli() < 1000 ? 1 : 0;
        typeConstrained += record.gpuTypes().isEmpty() ? 0 : 1;
        elastic += record.minGpus() < record.maxGpus() ? 1 : 0;
    }

    private static <K> void add(Map<K, GroupTotals> totalsByKey, K key, double work) {
        totalsByKey.put(key, totalsByKey.getOrDefault(key, GroupTotals.NONE).plus(work));
    }

    private static int durationBin(double run) {
        int bin = 0;
        while (bin + 1 < DURATION_BINS.size() && run >= DURATION_BINS.get(bin + 1)) {
            bin++;
        }
        return bin;
    }

    public int jobs() {
        return seconds.length;
    }

    public double gpuSeconds() {
        return gpuSeconds;
    }

    /** First submission, in milliseconds since time zero. */
    public long firstMillis() {
        return first;
    }

    public long lastMillis() {
        return last;
    }

    public double spanSeconds() {
        return (last - first) / 1000.0;
    }

    /** Work submitted over what this many GPUs can do from the first submission to the last; without a span, infinite. */
    public double load(int gpus) {
        return gpuSeconds / (gpus * spanSeconds());
    }

    /** Run time at nearest rank, in seconds. */
    public double quantile(double share) {
        int rank = (int) Math.ceil(share * seconds.length);
        return seconds[Math.max(0, Math.min(seconds.length, rank) - 1)];
    }

    public double meanSeconds() {
        return Arrays.stream(seconds).average().orElse(0);
    }

    /** By number of GPUs, ascending. */
    public Map<Integer, GroupTotals> sizes() {
        return sizes;
    }

    /** How many jobs are in each bar of {@link #DURATION_BINS}. */
    public long[] durationCounts() {
        return durationCounts.clone();
    }

    public Map<String, GroupTotals> users() {
        return byJobCount(users);
    }

    public Map<String, GroupTotals> queues() {
        return byJobCount(queues);
    }

    /** Only those that the trace names. */
    public Map<String, GroupTotals> models() {
        return byJobCount(models);
    }

    public long jobsOfClass(JobClass jobClass) {
        return classes.getOrDefault(jobClass, 0L);
    }

    /** Submissions by hour of the day. */
    public long[] hours() {
        return hours.clone();
    }

    /** Submissions by day of the week, Monday first; means nothing for a trace without dates. */
    public long[] weekdays() {
        return weekdays.clone();
    }

    /** Most submissions on one day. */
    public long busiestDay() {
        return days.values().stream().mapToLong(n -> n).max().orElse(0);
    }

    /** Jobs that request shares of GPUs. */
    public long fractional() {
        return fractional;
    }

    /** Jobs that request certain types of GPUs. */
    public long typeConstrained() {
        return typeConstrained;
    }

    /** Jobs that run on more or fewer GPUs. */
    public long elastic() {
        return elastic;
    }

    private static Map<String, GroupTotals> byJobCount(Map<String, GroupTotals> totalsByKey) {
        List<Map.Entry<String, GroupTotals>> sorted = new ArrayList<>(totalsByKey.entrySet());
        sorted.sort(Comparator.comparingLong(
                        (Map.Entry<String, GroupTotals> e) -> -e.getValue().jobs())
                .thenComparing(Map.Entry::getKey));
        Map<String, GroupTotals> ordered = new LinkedHashMap<>();
        sorted.forEach(e -> ordered.put(e.getKey(), e.getValue()));
        return ordered;
    }
}
