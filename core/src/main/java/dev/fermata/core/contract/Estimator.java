package dev.fermata.core.contract;

import org.jspecify.annotations.Nullable;

/** Says how much work a job still has: an oracle or a noisy one in simulation; declared, learned or reported live. */
public interface Estimator {
    /** Remaining work at {@code nowMillis}, in milliseconds on the reference GPU, alone, in the best placement; at least 1. */
    long remainingMillis(JobView job, long nowMillis);

    /** What is known beyond one number, or null from an estimator that stands by its number. */
    default @Nullable Outlook outlook(JobView job, long nowMillis) {
        return null;
    }

    /**
     * Something happened to this job since the last decision: it came, ran, was paused or ended. Estimators that learn take
     * note of it before anybody decides.
     */
    default void noted(JobView job, long nowMillis) {}

    /** Grows when what is said of jobs to which nothing happened may have changed; everybody is then ranked anew. */
    default long version(long nowMillis) {
        return 0;
    }

    /** When more will be known even if nothing happens; {@link Plan#NEVER} where only what happens teaches. */
    default long nextMillis(long nowMillis) {
        return Plan.NEVER;
    }
}
