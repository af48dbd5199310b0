package dev.fermata.live.api.view;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One history entry.
 *
 * @param job absent for an entry about no job
 * @param actor a user's name, {@code policy}, {@code engine} or {@code daemon}
 */
public record EventView(
        long seq,
        Instant at,
        @Nullable Long job,
        @Nullable String attemptId,
        String actor,
        String type,
        JsonNode body) {}
