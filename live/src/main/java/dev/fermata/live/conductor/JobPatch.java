package dev.fermata.live.conductor;

import org.jspecify.annotations.Nullable;

/** What to change about a job; null leaves a thing as it is. */
public record JobPatch(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable Long timeMillis,
        @Nullable Long limitMillis,
        @Nullable Integer maxPreemptions) {}
