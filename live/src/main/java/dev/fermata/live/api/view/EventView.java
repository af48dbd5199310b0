package dev.fermata.live.api.view;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of the history.
 *
 * @param job absent for what concerns no job
 * @param actor a user's name, {@code policy}, {@code engine} or {@code daemon}
 */
public record EventView(
        long seq, Instant at, @Nullable Long job, @Nullable String run, String actor, String kind, JsonNode body) {}
