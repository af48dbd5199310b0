package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/** The emptiest nodes first: balances heat and co-location, fragments the cluster. */
public final class SpreadPlacement implements Placement {
    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        GangCollector collector = new GangCollector(capacity, job, gpus, horizon);
        int nodes = capacity.topology().nodes().size();
        for (int c = capacity.previousAvailableCount(type, Integer.MAX_VALUE, horizon);
                c > 0 && collector.missing() > 0;
                c = capacity.previousAvailableCount(type, c - 1, horizon)) {
            for (int node = capacity.nodeWithAvailable(type, c, 0, nodes, horizon);
                    node >= 0 && collector.missing() > 0;
                    node = capacity.nodeWithAvailable(type, c, node + 1, nodes, horizon)) {
                collector.takeFrom(node);
            }
        }
        return collector.toAllocation();
    }
}
