package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Tier;
import org.jspecify.annotations.Nullable;

/**
 * Together or not at all: on one node if some node could ever serve the whole gang, CPU and RAM counted, else in one rack
 * if some rack could, else anywhere.
 */
public final class Consolidate implements Placement {
    private final Together together = new Together();

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return together.onOneNode(space, job, type, gpus, Tier.NODE);
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        return together.choose(space, job, type, gpus, horizon, Tier.NODE);
    }
}
