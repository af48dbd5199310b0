package dev.fermata.live.conductor;

import dev.fermata.core.contract.Plan;

/** How long jobs will still run, as far as their scripts say: live from their reports, in a replay as they would have reported. */
public interface ReportedTime {
    /** Wall-clock milliseconds until its last step at the speed of this attempt so far; -1 when that cannot be said. */
    long remainingMillis(long job, int attempt, long nowMillis);

    /** What a job had left when it was last paused, from the steps it had saved then and the speed it had; -1 when that cannot be said. */
    default long waitingMillis(long job) {
        return -1;
    }

    /** Grows when what was said may have changed. */
    long version(long nowMillis);

    /** When the next job will have reported enough, where that can be foreseen; else {@link Plan#NEVER}. */
    default long nextMillis(long nowMillis) {
        return Plan.NEVER;
    }
}
