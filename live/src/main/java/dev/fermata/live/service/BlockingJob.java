package dev.fermata.live.service;

import dev.fermata.core.contract.JobState;
import org.jspecify.annotations.Nullable;

/**
 * A job in the way of a pending one.
 *
 * @param gpus how many GPUs it holds, or needs while it is pending
 * @param expectedEnd null where its run time cannot be told: it has not begun, or is leaving
 */
public record BlockingJob(
        long job,
        String user,
        int gpus,
        JobState state,
        @Nullable ExpectedEnd expectedEnd) {
    /** When it will have ended, half of the time and nine times out of ten. */
    public record ExpectedEnd(long p50Millis, long p90Millis) {}
}
