package dev.fermata.history;

import dev.fermata.history.RemainingTime.EstimateSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Recent errors of estimates by source. A reported or declared run time is a single figure; its interval is learned from
 * the errors of earlier figures. One thread writes, all threads read.
 */
public final class EstimateCalibration {
    /** Fewer samples give no tenth percentile. */
    private static final int MIN_SAMPLES = 10;

    private static final int MAX_SAMPLES = 256;

    /** Intervals without samples: the actual value is between these multiples of the estimate in 8 of 10 cases. */
    private static final Map<EstimateSource, Band> ASSUMED = Map.of(
            EstimateSource.REPORTED, new Band(0.9, 1.15),
            EstimateSource.OUTPUT, new Band(0.8, 1.3),
            EstimateSource.DECLARED, new Band(0.3, 1.5),
            EstimateSource.LEARNED, new Band(0.3, 3),
            EstimateSource.ASSUMED, new Band(0.1, 10));

    private record Band(double low, double high) {}

    /** Ratios of actual to estimated values as the bits of a double, which sort like positive doubles. */
    private final Map<EstimateSource, SlidingSamples> ratios = new EnumMap<>(EstimateSource.class);

    private final Map<EstimateSource, Band> bands = new ConcurrentHashMap<>(ASSUMED);

    /** Adds an estimate with its actual value. */
    public void addSample(EstimateSource source, long estimatedMillis, long actualMillis) {
        SlidingSamples latest = ratios.computeIfAbsent(source, s -> new SlidingSamples(MAX_SAMPLES));
        latest.add(Double.doubleToLongBits(Math.max(1, actualMillis) / (double) Math.max(1, estimatedMillis)));
        if (latest.count() >= MIN_SAMPLES) {
            bands.put(
                    source,
                    new Band(
                            Double.longBitsToDouble(latest.quantile(0.1)),
                            Double.longBitsToDouble(latest.quantile(0.9))));
        }
    }

    /** The estimate with its interval. */
    public RemainingTime intervalAround(long millis, EstimateSource source) {
        Band band = bands.getOrDefault(source, new Band(1, 1));
        return new RemainingTime(
                Math.min(millis, Math.round(millis * band.low)), millis, Math.round(millis * band.high), source);
    }
}
