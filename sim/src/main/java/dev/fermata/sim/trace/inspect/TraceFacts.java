package dev.fermata.sim.trace.inspect;

import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.TrueJob;
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
public final class TraceFacts {
    /** Where the bars of run times begin, in seconds: about evenly spaced in their logarithm, at times people use. */
    public static final List<Integer> TIMES = List.of(0, 10, 60, 600, 3600, 6 * 3600, 86_400, 3 * 86_400, 10 * 86_400);

    private static final int HOURS = 24;
    private static final int WEEK = 7;
    /** The first of January 1970 was a Thursday; Monday counts as 0 here. */
    private static final int FIRST_WEEKDAY = 3;

    private static final long HOUR_MILLIS = 3_600_000;

    private final double[] seconds;
    private final Map<Integer, Part> sizes = new TreeMap<>();
    private final long[] times = new long[TIMES.size()];
    private final Map<String, Part> users = new HashMap<>();
    private final Map<String, Part> queues = new HashMap<>();
    private final Map<String, Part> models = new HashMap<>();
    private final Map<JobClass, Long> classes = new TreeMap<>();
    private final long[] hours = new long[HOURS];
    private final long[] weekdays = new long[WEEK];
    private final Map<Long, Long> days = new HashMap<>();
    private double gpuSeconds;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private long fractional;
    private long typed;
    private long elastic;

    /**
     * Looks at every job.
     *
     * @param jobs those that were made of the records, in the same order
     * @param zero the date of time zero, where the trace has dates
     */
    public TraceFacts(List<TraceRecord> records, List<TrueJob> jobs, OptionalLong zero) {
        seconds = new double[jobs.size()];
        for (int i = 0; i < jobs.size(); i++) {
            count(records.get(i), jobs.get(i), i, zero.orElse(0));
        }
        Arrays.sort(seconds);
    }

    private void count(TraceRecord record, TrueJob job, int index, long zero) {
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
        times[bar(run)]++;
        first = Math.min(first, job.submitMillis());
        last = Math.max(last, job.submitMillis());
        long hour = Math.floorDiv(zero + job.submitMillis(), HOUR_MILLIS);
        long day = Math.floorDiv(hour, HOURS);
        hours[Math.floorMod(hour, HOURS)]++;
        weekdays[Math.floorMod(day + FIRST_WEEKDAY, WEEK)]++;
        days.merge(day, 1L, Long::sum);
        fractional += record.gpuMilli() < 1000 ? 1 : 0;
        typed += record.gpuTypes().isEmpty() ? 0 : 1;
        elastic += record.minGpus() < record.maxGpus() ? 1 : 0;
    }

    private static <K> void add(Map<K, Part> parts, K key, double work) {
        parts.put(key, parts.getOrDefault(key, Part.NONE).and(work));
    }

    private static int bar(double run) {
        int bar = 0;
        while (bar + 1 < TIMES.size() && run >= TIMES.get(bar + 1)) {
            bar++;
        }
        return bar;
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

    /** Work submitted over what so many GPUs can do from the first submission to the last; without a span, infinite. */
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
    public Map<Integer, Part> sizes() {
        return sizes;
    }

    /** How many jobs are in each bar of {@link #TIMES}. */
    public long[] times() {
        return times.clone();
    }

    public Map<String, Part> users() {
        return byJobs(users);
    }

    public Map<String, Part> queues() {
        return byJobs(queues);
    }

    /** Only those that the trace names. */
    public Map<String, Part> models() {
        return byJobs(models);
    }

    public long of(JobClass jobClass) {
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

    /** Jobs that ask for shares of GPUs. */
    public long fractional() {
        return fractional;
    }

    /** Jobs that want certain types of GPUs. */
    public long typed() {
        return typed;
    }

    /** Jobs that run on more or fewer GPUs. */
    public long elastic() {
        return elastic;
    }

    private static Map<String, Part> byJobs(Map<String, Part> parts) {
        List<Map.Entry<String, Part>> sorted = new ArrayList<>(parts.entrySet());
        sorted.sort(Comparator.comparingLong(
                        (Map.Entry<String, Part> e) -> -e.getValue().jobs())
                .thenComparing(Map.Entry::getKey));
        Map<String, Part> ordered = new LinkedHashMap<>();
        sorted.forEach(e -> ordered.put(e.getKey(), e.getValue()));
        return ordered;
    }
}
