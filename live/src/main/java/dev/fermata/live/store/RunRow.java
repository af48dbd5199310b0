package dev.fermata.live.store;

import org.jspecify.annotations.Nullable;

/**
 * One attempt of a job. Times are -1 until they happen; {@code outcome} is empty while it lives.
 *
 * @param measured what it showed of its own costs, as JSON; empty while it lives, or when it showed nothing
 */
public record RunRow(
        long jobId,
        int attempt,
        String gpus,
        long startedMillis,
        long runningMillis,
        long pausingMillis,
        long leftMillis,
        String outcome,
        @Nullable Integer exitCode,
        int signal,
        String detail,
        long loadMillis,
        long usefulMillis,
        long lostMillis,
        long pauseMillis,
        long savedWorkMillis,
        long beneficiary,
        long gainMillis,
        long costMillis,
        String measured) {}
