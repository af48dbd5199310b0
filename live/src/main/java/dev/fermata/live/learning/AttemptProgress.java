package dev.fermata.live.learning;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.live.engine.EngineEvent;

/**
 * The last report of an attempt; {@code total} is 0 when unknown.
 *
 * @param estimableSinceMillis when its reports first allowed an estimate of its remaining time; else {@link #UNKNOWN}
 * @param origin where it is known from; it is not stored
 */
public record AttemptProgress(
        int attempt,
        long atMillis,
        String type,
        long step,
        long total,
        @JsonUnwrapped LatestMetric latest,
        long estimableSinceMillis,
        @JsonIgnore EngineEvent.ProgressOrigin origin) {
    public static final long UNKNOWN = -1;

    /** The latest value of a metric; NaN for none. */
    public record LatestMetric(String metricName, double metric) {}

    public String metricName() {
        return latest.metricName;
    }

    public double metric() {
        return latest.metric;
    }

    /** The total for people, which may be uncertain; 0 for unknown. */
    public long shownTotal() {
        return total > 0 ? total : origin.shownTotal();
    }
}
