package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import org.jspecify.annotations.Nullable;

/** Picks GPUs for one job out of the available ones. A gang gets GPUs of one type. */
public interface Placement {
    /** Exactly {@code gpus} GPUs of this type for the job, or null when this placement finds none suitable. */
    @Nullable
    Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon);

    /** Whether a job of this size is only ever put on a single node. */
    default boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return false;
    }

    /** Whether it ever requires a single node. */
    default boolean consolidates() {
        return false;
    }

    /** How far apart jobs let their GPUs be; a queue for this placement must use it. */
    default LocalityTolerance tolerance() {
        return LocalityTolerance.NONE;
    }

    /**
     * How much later the job would end at most on available GPUs that it declines. That is the wait until it takes them, no
     * better place having come, and what it loses there. {@link Plan#NEVER} where there are no such GPUs.
     */
    default long declinedLossMillis(FreeCapacity capacity, JobView job, int type) {
        return Plan.NEVER;
    }

    /** Whether jobs may share a GPU. */
    default boolean allowsSharing() {
        return false;
    }

    /** Whether this job might share a GPU, so that it needs no free one. */
    default boolean mayShare(JobView job, Topology topology) {
        return allowsSharing();
    }

    /**
     * Whether this job and others of its size would get the same GPUs among those that are available soon. The others accept
     * the same places, and none needs CPU or RAM.
     */
    default boolean placesBySize(JobView job) {
        return false;
    }

    /**
     * On how many nodes this job's gang may be at most now, on GPUs of a type that are available soon. Every place on more nodes
     * would be declined.
     */
    default int mostNodes(FreeCapacity capacity, JobView job, int type) {
        return Integer.MAX_VALUE;
    }

    /** As {@link #choose}, for a job that starts there unless the decision is revised. */
    default @Nullable Allocation placeExactly(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return choose(capacity, job, type, gpus, horizon);
    }

    /** As many GPUs of this type as are available between the job's least and full size. */
    default @Nullable Allocation placeOn(FreeCapacity capacity, JobView job, int type, Horizon horizon) {
        Demand demand = job.job().demand();
        int gpus = Math.min(demand.maxGpus(), capacity.available(type, horizon));
        while (gpus >= demand.minGpus()) {
            Allocation found = choose(capacity, job, type, gpus, horizon);
            if (found != null || gpus == demand.minGpus()) {
                return found;
            }
            gpus = Math.max(demand.minGpus(), gpus / 2);
        }
        return null;
    }

    /** The first type, by preference, on which the job can be placed. */
    default @Nullable Allocation place(FreeCapacity capacity, JobView job, Horizon horizon) {
        for (int type : job.typesByPreference()) {
            Allocation found = placeOn(capacity, job, type, horizon);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
