package dev.fermata.live.api.view;

import org.jspecify.annotations.Nullable;

/** Changes of a job, with the keys of the job file; absent values stay as they are. */
public record PatchRequest(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable String time,
        @Nullable String limit,
        @Nullable Integer maxPreemptions) {}
