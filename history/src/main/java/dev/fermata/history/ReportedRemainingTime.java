package dev.fermata.history;

import dev.fermata.core.contract.Plan;

/** Remaining times that scripts report: from live reports, or reconstructed in a replay. */
public interface ReportedRemainingTime {
    /** Wall-clock milliseconds to the last step at the speed of this attempt; -1 when unknown. */
    long remainingMillis(long job, int attempt, long nowMillis);

    /** The remaining time when the job was last preempted, from its saved steps and speed; -1 when unknown. */
    default long pendingMillis(long job) {
        return -1;
    }

    /** Whether what is known of a job comes from its output, not from reports. */
    default boolean isFromOutput(long job) {
        return false;
    }

    /** Grows when a remaining time may have changed. */
    long version(long nowMillis);

    /** When the next job has reported enough, where that is known; else {@link Plan#NEVER}. */
    default long nextMillis(long nowMillis) {
        return Plan.NEVER;
    }
}
