package dev.fermata.live.foresee;

/** A line of the history: what was expected of a waiting job, and when. -1 for what could not be said. */
public record Foreseen(long asOfMillis, long p50Millis, long p90Millis, int scenarios) {
    public static final String KIND = "Foreseen";
}
