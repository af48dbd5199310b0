package dev.fermata.core.contract;

import org.jspecify.annotations.Nullable;

/** Estimates how much work a job still has. In simulation an oracle or a noisy one; live declared, learned or reported. */
public interface Estimator {
    /** Remaining work at {@code nowMillis}, in milliseconds on the reference GPU, alone, in the best placement; at least 1. */
    long remainingMillis(JobView job, long nowMillis);

    /** Whether anything is known of this job that distinguishes it from others; where not, a policy may use what it learned itself. */
    default boolean knows(JobView job) {
        return true;
    }

    /** What is known beyond one number, or null from an estimator without uncertainty. */
    default @Nullable RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
        return null;
    }

    /**
     * This job was submitted, started, preempted or ended since the last decision. Estimators that learn use it before the
     * next decision.
     */
    default void observe(JobView job, long nowMillis) {}

    /** Grows when estimates of unchanged jobs may have changed; all jobs are then ranked again. */
    default long version(long nowMillis) {
        return 0;
    }

    /** When the estimate changes even without events; {@link Plan#NEVER} where only events change it. */
    default long nextChangeMillis(long nowMillis) {
        return Plan.NEVER;
    }
}
