package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.queue.Patience;
import org.jspecify.annotations.Nullable;

/** Picks GPUs for one job out of those available. A gang gets GPUs of one type. */
public interface Placement {
    /** Exactly {@code gpus} GPUs of this type for the job, or null when this placement finds none to its liking. */
    @Nullable
    Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon);

    /** Whether a job of this size is only ever put on a single node. */
    default boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return false;
    }

    /** Whether it ever insists on a single node. */
    default boolean consolidates() {
        return false;
    }

    /** How far apart jobs let their GPUs be: whoever keeps a queue for this placement must know. */
    default Patience patience() {
        return Patience.NONE;
    }

    /** Whether jobs may be put beside others on one GPU. */
    default boolean shares() {
        return false;
    }

    /** As many GPUs of this type as are available between the job's least and full size. */
    default @Nullable Allocation placeOn(Space space, JobView job, int type, Horizon horizon) {
        Demand demand = job.job().demand();
        int gpus = Math.min(demand.maxGpus(), space.available(type, horizon));
        while (gpus >= demand.minGpus()) {
            Allocation found = choose(space, job, type, gpus, horizon);
            if (found != null || gpus == demand.minGpus()) {
                return found;
            }
            gpus = Math.max(demand.minGpus(), gpus / 2);
        }
        return null;
    }

    /** The first type the job likes on which it can be placed. */
    default @Nullable Allocation place(Space space, JobView job, Horizon horizon) {
        for (int type : job.typesByPreference()) {
            Allocation found = placeOn(space, job, type, horizon);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
