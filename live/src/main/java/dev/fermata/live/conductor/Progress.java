package dev.fermata.live.conductor;

/**
 * The last report of an attempt; {@code total} is 0 when unknown, {@code metric} NaN for none.
 *
 * @param knownMillis since when its reports say how long it will take; {@link #UNKNOWN} as long as they do not
 */
public record Progress(
        int attempt,
        long atMillis,
        String kind,
        long step,
        long total,
        String metricName,
        double metric,
        long knownMillis) {
    static final long UNKNOWN = -1;
}
