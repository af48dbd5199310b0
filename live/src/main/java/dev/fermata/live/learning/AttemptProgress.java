package dev.fermata.live.learning;

/**
 * The last report of an attempt; {@code total} is 0 when unknown, {@code metric} NaN for none.
 *
 * @param estimableSinceMillis when its reports first allowed an estimate of its remaining time; else {@link #UNKNOWN}
 */
public record AttemptProgress(
        int attempt,
        long atMillis,
        String type,
        long step,
        long total,
        String metricName,
        double metric,
        long estimableSinceMillis) {
    public static final long UNKNOWN = -1;
}
