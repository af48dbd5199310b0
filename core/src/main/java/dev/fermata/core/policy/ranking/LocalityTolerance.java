package dev.fermata.core.policy.ranking;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Tier;

/**
 * How far apart a waiting job lets its GPUs be and which types it accepts, which may widen while it waits. Jobs of one demand
 * that accept the same places fit or do not fit together, so they form a demand class, examined again when a job accepts more.
 */
public interface LocalityTolerance {
    /** Takes whatever the placement finds, and always did. */
    LocalityTolerance NONE = job -> Tier.NETWORK;

    /** The farthest tier this waiting job accepts now; a size that no closer place could ever hold does not matter here. */
    Tier acceptedTier(JobView job);

    /** The GPU types this waiting job takes now. */
    default long acceptedTypes(JobView job) {
        return job.eligibleTypes();
    }

    /** How much more than its tier the closeness of its GPUs may cost this waiting job now: a step that grows with its wait. */
    default int acceptedStep(JobView job) {
        return 0;
    }

    /** When it will accept a farther tier or another type if it still waits; {@link Plan#NEVER} when it will not. */
    default long relaxesAtMillis(JobView job) {
        return Plan.NEVER;
    }

    /**
     * A decision begins: records the time and the jobs started since the last one. Returns whether what waiting
     * jobs accept, or when, may have changed otherwise than by time.
     */
    default boolean update(View view) {
        return false;
    }
}
