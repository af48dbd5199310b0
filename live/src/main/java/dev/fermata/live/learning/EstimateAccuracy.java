package dev.fermata.live.learning;

import dev.fermata.history.RemainingTime.EstimateSource;
import dev.fermata.live.store.EstimateRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Estimated remaining work compared with the work that jobs then did.
 *
 * @param worst the estimates with the largest ratio between estimate and actual work
 */
public record EstimateAccuracy(List<SourceAccuracy> sources, List<EstimateRow> worst) {
    private static final int MAX_WORST = 10;
    /** Shorter work counts as this long, so that tiny jobs do not dominate the ratios. */
    private static final long MIN_MILLIS = 1_000;

    /**
     * Accuracy of the estimates of one source.
     *
     * @param medianError median of the absolute error relative to the actual work
     * @param bias median of the relative error; positive when jobs end earlier than estimated
     * @param withinP90 share of jobs whose actual work was at most the 90th percentile; ideally 0.9
     * @param withinBand share of jobs whose actual work was between the 10th and the 90th percentile; ideally 0.8
     */
    public record SourceAccuracy(
            EstimateSource source, int count, double medianError, double bias, double withinP90, double withinBand) {}

    public static EstimateAccuracy of(List<EstimateRow> settled) {
        List<SourceAccuracy> sources = new ArrayList<>();
        for (EstimateSource source : EstimateSource.values()) {
            List<EstimateRow> rows = settled.stream()
                    .filter(row -> row.source().equals(source.name()))
                    .toList();
            if (!rows.isEmpty()) {
                sources.add(of(source, rows));
            }
        }
        List<EstimateRow> worst = settled.stream()
                .sorted(Comparator.comparingDouble(EstimateAccuracy::errorFactor)
                        .reversed())
                .limit(MAX_WORST)
                .toList();
        return new EstimateAccuracy(sources, worst);
    }

    private static SourceAccuracy of(EstimateSource source, List<EstimateRow> rows) {
        double[] errors =
                rows.stream().mapToDouble(row -> Math.abs(relativeError(row))).toArray();
        double[] shares =
                rows.stream().mapToDouble(EstimateAccuracy::relativeError).toArray();
        double below = rows.stream()
                .filter(row -> row.actualMillis() <= row.p90Millis())
                .count();
        double inside = rows.stream()
                .filter(row -> row.actualMillis() <= row.p90Millis() && row.actualMillis() >= row.p10Millis())
                .count();
        return new SourceAccuracy(
                source, rows.size(), median(errors), median(shares), below / rows.size(), inside / rows.size());
    }

    /** The error relative to the actual work; negative when the estimate was too low. */
    private static double relativeError(EstimateRow row) {
        return (row.p50Millis() - row.actualMillis()) / (double) Math.max(MIN_MILLIS, row.actualMillis());
    }

    private static double errorFactor(EstimateRow row) {
        double expected = Math.max(MIN_MILLIS, row.p50Millis());
        double actual = Math.max(MIN_MILLIS, row.actualMillis());
        return Math.max(expected / actual, actual / expected);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[(values.length - 1) / 2];
    }
}
