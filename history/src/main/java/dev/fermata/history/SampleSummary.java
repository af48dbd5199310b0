package dev.fermata.history;

import java.util.List;

/** Number, mean and percentiles of the recent samples of one metric; all 0 without samples. */
public record SampleSummary(int count, long mean, long p10, long p50, long p90) {
    public static final SampleSummary NONE = new SampleSummary(0, 0, 0, 0, 0);

    public static SampleSummary of(List<Long> values) {
        return ofSorted(values.stream().mapToLong(Long::longValue).sorted().toArray(), values.size());
    }

    /** Summary of the first {@code count} values, which are sorted. */
    static SampleSummary ofSorted(long[] sorted, int count) {
        if (count == 0) {
            return NONE;
        }
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += sorted[i];
        }
        return new SampleSummary(
                count,
                Math.round(sum / count),
                quantile(sorted, count, 0.1),
                quantile(sorted, count, 0.5),
                quantile(sorted, count, 0.9));
    }

    /** The smallest sample that this share of all samples does not exceed. */
    static long quantile(long[] sorted, int count, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * count) - 1)];
    }
}
