package dev.fermata.live.prediction;

/** Body of a history entry: the predicted start of a pending job; -1 for unknown times. */
public record StartPredicted(long asOfMillis, long p50Millis, long p90Millis, int scenarios) {
    public static final String TYPE = "StartPredicted";
}
