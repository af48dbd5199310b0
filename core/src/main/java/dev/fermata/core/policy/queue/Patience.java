package dev.fermata.core.policy.queue;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Tier;

/**
 * How far apart a waiting job lets its GPUs be and which types it takes, which may widen while it waits. Jobs of one demand that accept the same
 * places fit or do not fit together, so the book keeps them apart by it and looks again when a job widens what it accepts.
 */
public interface Patience {
    /** Takes whatever the placement finds, and always did. */
    Patience NONE = job -> Tier.NETWORK;

    /** The farthest tier this waiting job accepts now; a size that no closer place could ever hold is no matter here. */
    Tier accepts(JobView job);

    /** The GPU types this waiting job takes now. */
    default long acceptsTypes(JobView job) {
        return job.eligibleTypes();
    }

    /** When it will accept a farther tier or another type if it still waits; {@link Plan#NEVER} when it will not. */
    default long untilMillis(JobView job) {
        return Plan.NEVER;
    }

    /**
     * A decision begins: takes note of the time and of who started since the last one. Answers whether what waiting
     * jobs accept, or when, may have changed otherwise than by time.
     */
    default boolean update(View view) {
        return false;
    }
}
