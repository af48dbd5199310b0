package dev.fermata.live.learn;

import java.util.List;

/** The latest measurements of one figure: how many, and how far apart. All 0 when there are none. */
public record Spread(int count, long mean, long p10, long p50, long p90) {
    public static final Spread NONE = new Spread(0, 0, 0, 0, 0);

    public static Spread of(List<Long> values) {
        return ofSorted(values.stream().mapToLong(Long::longValue).sorted().toArray(), values.size());
    }

    /** Of the first {@code count}, which must be sorted. */
    static Spread ofSorted(long[] sorted, int count) {
        if (count == 0) {
            return NONE;
        }
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += sorted[i];
        }
        return new Spread(
                count,
                Math.round(sum / count),
                quantile(sorted, count, 0.1),
                quantile(sorted, count, 0.5),
                quantile(sorted, count, 0.9));
    }

    /** The smallest value that this share of all does not exceed: always one that was measured. */
    static long quantile(long[] sorted, int count, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * count) - 1)];
    }
}
