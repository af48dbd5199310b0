package dev.fermata.live.learn;

import dev.fermata.live.learn.RemainingTime.Source;
import dev.fermata.live.store.EstimateRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How estimates of the work that jobs had left compare with the work they did.
 *
 * @param worst those that were furthest off, by how many times the truth was more or less
 */
public record EstimateSummary(List<OfSource> sources, List<EstimateRow> worst) {
    private static final int SHOWN = 10;
    /** Work below this is not told apart: of two jobs of a millisecond one is not twice as long. */
    private static final long LEAST_MILLIS = 1_000;

    /**
     * All estimates of one source.
     *
     * @param medianError half of them were off by less than this share of the truth
     * @param bias half of them were above this share of the truth, less 1: positive when jobs are over sooner than expected
     * @param withinP90 in this share of cases the truth was at most the 90th percentile: 0.9 is perfect
     * @param withinBand in this share of cases it was between the 10th and the 90th: 0.8 is perfect
     */
    public record OfSource(
            Source source, int count, double medianError, double bias, double withinP90, double withinBand) {}

    public static EstimateSummary of(List<EstimateRow> settled) {
        List<OfSource> sources = new ArrayList<>();
        for (Source source : Source.values()) {
            List<EstimateRow> rows = settled.stream()
                    .filter(row -> row.source().equals(source.name()))
                    .toList();
            if (!rows.isEmpty()) {
                sources.add(of(source, rows));
            }
        }
        List<EstimateRow> worst = settled.stream()
                .sorted(Comparator.comparingDouble(EstimateSummary::timesOff).reversed())
                .limit(SHOWN)
                .toList();
        return new EstimateSummary(sources, worst);
    }

    private static OfSource of(Source source, List<EstimateRow> rows) {
        double[] errors = rows.stream().mapToDouble(row -> Math.abs(share(row))).toArray();
        double[] shares = rows.stream().mapToDouble(EstimateSummary::share).toArray();
        double below = rows.stream()
                .filter(row -> row.truthMillis() <= row.p90Millis())
                .count();
        double inside = rows.stream()
                .filter(row -> row.truthMillis() <= row.p90Millis() && row.truthMillis() >= row.p10Millis())
                .count();
        return new OfSource(
                source, rows.size(), median(errors), median(shares), below / rows.size(), inside / rows.size());
    }

    /** By which share of the truth it was above it; negative when below. */
    private static double share(EstimateRow row) {
        return (row.p50Millis() - row.truthMillis()) / (double) Math.max(LEAST_MILLIS, row.truthMillis());
    }

    private static double timesOff(EstimateRow row) {
        double expected = Math.max(LEAST_MILLIS, row.p50Millis());
        double came = Math.max(LEAST_MILLIS, row.truthMillis());
        return Math.max(expected / came, came / expected);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[(values.length - 1) / 2];
    }
}
