package dev.fermata.live.learn;

import dev.fermata.live.learn.RemainingTime.Source;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far from the truth estimates of one source were of late. What a script reports, or a user declares, is one number: how sure it
 * is can only be learned from how it went with the others. One thread writes, everybody may read.
 */
public final class Calibration {
    /** Fewer say nothing about one in ten. */
    private static final int ENOUGH = 10;

    private static final int KEPT = 256;

    /** What the truth is to an estimate of which nobody knows how good it is: between these shares of it, eight times of ten. */
    private static final Map<Source, Band> ASSUMED = Map.of(
            Source.REPORTED, new Band(0.9, 1.15),
            Source.DECLARED, new Band(0.3, 1.5),
            Source.LEARNED, new Band(0.3, 3),
            Source.ASSUMED, new Band(0.1, 10));

    private record Band(double low, double high) {}

    /** What the truth was to estimates, as the bits of a number: of positive numbers the larger has the larger bits. */
    private final Map<Source, Latest> ratios = new EnumMap<>(Source.class);

    private final Map<Source, Band> bands = new ConcurrentHashMap<>(ASSUMED);

    /** An estimate that can now be held against what came. */
    public void settle(Source source, long estimatedMillis, long truthMillis) {
        Latest latest = ratios.computeIfAbsent(source, s -> new Latest(KEPT));
        latest.add(Double.doubleToLongBits(Math.max(1, truthMillis) / (double) Math.max(1, estimatedMillis)));
        if (latest.count() >= ENOUGH) {
            bands.put(
                    source,
                    new Band(
                            Double.longBitsToDouble(latest.quantile(0.1)),
                            Double.longBitsToDouble(latest.quantile(0.9))));
        }
    }

    /** An estimate, and what it may turn out to be. */
    public RemainingTime around(long millis, Source source) {
        Band band = bands.getOrDefault(source, new Band(1, 1));
        return new RemainingTime(
                Math.min(millis, Math.round(millis * band.low)), millis, Math.round(millis * band.high), source);
    }
}
