package dev.fermata.core.measure;

import java.util.Arrays;

/** Mean and percentiles (nearest rank) of a sample; all zero when it is empty. */
public record Distribution(double mean, double median, double p95, double p99, double max) {

    /** Of these values; the array is sorted in place. */
    public static Distribution of(double[] values) {
        if (values.length == 0) {
            return new Distribution(0, 0, 0, 0, 0);
        }
        Arrays.sort(values);
        double sum = 0;
        for (double v : values) {
            sum += v;
        }
        return new Distribution(
                sum / values.length,
                percentile(values, 50),
                percentile(values, 95),
                percentile(values, 99),
                values[values.length - 1]);
    }

    static double percentile(double[] sorted, int percent) {
        int rank = (int) Math.ceil(percent / 100.0 * sorted.length);
        return sorted[Math.max(0, rank - 1)];
    }
}
