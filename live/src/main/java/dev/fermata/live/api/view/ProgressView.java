package dev.fermata.live.api.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The last report of an attempt; {@code total} and {@code value} are absent when unknown. */
public record ProgressView(
        int attempt,
        Instant at,
        String type,
        long step,
        @Nullable Long total,
        @Nullable String metric,
        @Nullable Double value) {}
