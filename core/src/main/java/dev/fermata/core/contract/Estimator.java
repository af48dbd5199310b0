package dev.fermata.core.contract;

/** Says how much work a job still has: an oracle or a noisy one in simulation; declared, learned or reported live. */
public interface Estimator {
    /** Remaining work at {@code nowMillis}, in milliseconds on the reference GPU, alone, in the best placement; at least 1. */
    long remainingMillis(JobView job, long nowMillis);
}
