package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/** Together or not at all: on one node if the gang fits any node, else in one rack if it fits any rack, else anywhere. */
public final class Consolidate implements Placement {
    @Override
    public boolean onOneNode(Space space, int type, int gpus) {
        return gpus <= space.topology().largestNode(type);
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        Gather gather = new Gather(space, job, gpus, horizon);
        if (onOneNode(space, type, gpus)) {
            gather.tightest(type, 0, nodes);
            return gather.done();
        }
        if (gpus <= space.topology().largestRack(type)) {
            return BestFit.inTightestRack(space, job, type, gpus, horizon);
        }
        gather.fullestFirst(type, 0, nodes);
        return gather.done();
    }
}
