package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Tier;
import org.jspecify.annotations.Nullable;

/**
 * Together or not at all. A gang runs on one node if some node could ever serve it, CPU and RAM counted, else in one
 * rack if some rack could, else anywhere.
 */
public final class Consolidate implements Placement {
    private final TierPlacement tierPlacement = new TierPlacement();

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return tierPlacement.requiresOneNode(capacity, job, type, gpus, Tier.NODE);
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return tierPlacement.choose(capacity, job, type, gpus, horizon, Tier.NODE);
    }
}
