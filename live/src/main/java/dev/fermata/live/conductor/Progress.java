package dev.fermata.live.conductor;

/** The last report of an attempt; {@code total} is 0 when unknown, {@code metric} NaN for none. */
public record Progress(
        int attempt, long atMillis, String kind, long step, long total, String metricName, double metric) {}
