package dev.fermata.live.loop;

import dev.fermata.live.store.Batch;

/**
 * A decided cycle that the store does not have yet. The same batch is tried again: the store knows it by its content.
 *
 * @param beganNanos when the cycle began, for metrics
 * @param dueMillis when it is tried next
 * @param backoffMillis the wait after the next failure
 */
record PendingCommit(CycleOutput output, Batch batch, long beganNanos, long dueMillis, long backoffMillis) {
    /** The same after a failure at this time, with exponential backoff. */
    PendingCommit retriedAfter(long nowMillis, long maxBackoffMillis) {
        return new PendingCommit(
                output, batch, beganNanos, nowMillis + backoffMillis, Math.min(2 * backoffMillis, maxBackoffMillis));
    }
}
