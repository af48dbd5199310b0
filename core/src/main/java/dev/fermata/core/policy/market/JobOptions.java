package dev.fermata.core.policy.market;

import java.util.Arrays;

/**
 * The placements one job may get, with their completion times. A placement is a count for each type, packed into one
 * number ({@link CountCode}).
 */
final class JobOptions {
    private long[] codes = new long[64];
    private double[] seconds = new double[64];
    private int size;

    int size() {
        return size;
    }

    long code(int option) {
        return codes[option];
    }

    double seconds(int option) {
        return seconds[option];
    }

    private void add(long code, double value) {
        if (size == codes.length) {
            codes = Arrays.copyOf(codes, 2 * size);
            seconds = Arrays.copyOf(seconds, 2 * size);
        }
        codes[size] = code;
        seconds[size++] = value;
    }

    /** Tabulates all placements of a job between two sizes; stops, with more than the limit, when there are too many. */
    static JobOptions of(Market market, CountCode packing, int job, int min, int max, int limit) {
        JobOptions options = new JobOptions();
        int[] counts = new int[market.types()];
        if (market.splits(job)) {
            options.enumerate(market, packing, job, counts, 0, new int[] {min, max, limit});
            return options;
        }
        for (int t = 0; t < counts.length && options.size <= limit; t++) {
            for (int k = min; market.rate(job, t) > 0 && k <= Math.min(max, market.workers(t)); k++) {
                counts[t] = k;
                options.add(packing.pack(counts), market.seconds(job, counts));
            }
            counts[t] = 0;
        }
        return options;
    }

    private void enumerate(Market market, CountCode packing, int job, int[] counts, int type, int[] bounds) {
        int taken = 0;
        for (int t = 0; t < type; t++) {
            taken += counts[t];
        }
        if (type == counts.length) {
            if (taken >= bounds[0] && taken > 0) {
                add(packing.pack(counts), market.seconds(job, counts));
            }
            return;
        }
        int most = market.rate(job, type) > 0 ? Math.min(bounds[1] - taken, market.workers(type)) : 0;
        for (int c = 0; c <= most && size <= bounds[2]; c++) {
            counts[type] = c;
            enumerate(market, packing, job, counts, type + 1, bounds);
        }
        counts[type] = 0;
    }

    /** The least completion time at these prices of workers, the prices included. */
    double minReduced(CountCode packing, double[] prices) {
        double min = Double.POSITIVE_INFINITY;
        for (int k = 0; k < size; k++) {
            min = Math.min(min, seconds[k] + packing.cost(codes[k], prices));
        }
        return min;
    }

    /** Drops every placement that costs more than the bar at these prices. */
    void retainBelow(double bar, CountCode packing, double[] prices) {
        int kept = 0;
        for (int k = 0; k < size; k++) {
            if (seconds[k] + packing.cost(codes[k], prices) <= bar) {
                codes[kept] = codes[k];
                seconds[kept++] = seconds[k];
            }
        }
        size = kept;
    }
}
