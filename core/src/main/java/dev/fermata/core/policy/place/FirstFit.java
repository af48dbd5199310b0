package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/** The first node that has room for the whole gang; else whatever is free, node by node. O(nodes) at worst. */
public final class FirstFit implements Placement {
    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = capacity.topology().nodes().size();
        int first = firstNode(capacity, job, type, gpus, horizon);
        GangCollector collector = new GangCollector(capacity, job, gpus, horizon);
        if (first >= 0) {
            collector.takeFrom(first);
        } else {
            for (int node = 0; node < nodes && collector.missing() > 0; node++) {
                if (capacity.topology().node(node).type() == type) {
                    collector.takeFrom(node);
                }
            }
        }
        return collector.toAllocation();
    }

    /** The first node with room for all of these GPUs and their CPU and RAM, or -1. */
    static int firstNode(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = capacity.topology().nodes().size();
        int best = nodes;
        for (int c = capacity.nextAvailableCount(type, gpus, horizon);
                c >= 0;
                c = capacity.nextAvailableCount(type, c + 1, horizon)) {
            int node = capacity.nodeWithAvailable(type, c, 0, best, horizon);
            while (node >= 0 && capacity.hostCapacityFor(node, job.job().demand(), horizon) < gpus) {
                node = capacity.nodeWithAvailable(type, c, node + 1, best, horizon);
            }
            best = node >= 0 ? node : best;
        }
        return best < nodes ? best : -1;
    }
}
