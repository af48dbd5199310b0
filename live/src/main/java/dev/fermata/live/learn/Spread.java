package dev.fermata.live.learn;

import java.util.List;

/** The latest measurements of one figure: how many, and how far apart. All 0 when there are none. */
public record Spread(int count, long mean, long p10, long p50, long p90) {
    public static final Spread NONE = new Spread(0, 0, 0, 0, 0);

    public static Spread of(List<Long> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
        double sum = 0;
        for (long value : sorted) {
            sum += value;
        }
        return new Spread(
                sorted.length,
                Math.round(sum / sorted.length),
                quantile(sorted, 0.1),
                quantile(sorted, 0.5),
                quantile(sorted, 0.9));
    }

    /** The smallest value that this share of all does not exceed: always one that was measured. */
    public static long quantile(long[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}
