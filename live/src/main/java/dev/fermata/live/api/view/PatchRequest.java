package dev.fermata.live.api.view;

import org.jspecify.annotations.Nullable;

/** What to change about a job, in the words of the job file; what is absent stays as it is. */
public record PatchRequest(
        @Nullable String name,
        @Nullable String queue,
        @Nullable Integer priority,
        @Nullable String time,
        @Nullable String limit,
        @Nullable Integer maxPreemptions) {}
