package dev.fermata.core.admission;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import org.jspecify.annotations.Nullable;

/** Finds GPUs without a policy: on the fullest node that has room for all, else on as few as fullest-first finds. */
public final class FewestNodes {
    private FewestNodes() {}

    /** This many GPUs of a type for this demand, or null. */
    public static @Nullable Allocation find(FreeCapacity capacity, Demand demand, int type, int gpus, Horizon horizon) {
        if (capacity.available(type, horizon) < gpus) {
            return null;
        }
        Allocation one = onOneNode(capacity, demand, type, gpus, horizon);
        return one != null ? one : onSeveralNodes(capacity, demand, type, gpus, horizon);
    }

    private static @Nullable Allocation onOneNode(
            FreeCapacity capacity, Demand demand, int type, int gpus, Horizon horizon) {
        int nodes = capacity.topology().nodes().size();
        for (int count = capacity.nextAvailableCount(type, gpus, horizon);
                count >= 0;
                count = capacity.nextAvailableCount(type, count + 1, horizon)) {
            for (int node = capacity.nodeWithAvailable(type, count, 0, nodes, horizon);
                    node >= 0;
                    node = capacity.nodeWithAvailable(type, count, node + 1, nodes, horizon)) {
                if (!demand.needsHostResources() || capacity.hostCapacityFor(node, demand, horizon) >= gpus) {
                    int[] picked = new int[gpus];
                    capacity.pickGpus(node, gpus, picked, 0, horizon);
                    return Allocation.of(capacity.topology(), picked, false);
                }
            }
        }
        return null;
    }

    private static @Nullable Allocation onSeveralNodes(
            FreeCapacity capacity, Demand demand, int type, int gpus, Horizon horizon) {
        int[] picked = new int[gpus];
        int n = 0;
        int nodes = capacity.topology().nodes().size();
        for (int count = capacity.previousAvailableCount(type, Integer.MAX_VALUE - 1, horizon);
                count > 0 && n < gpus;
                count = capacity.previousAvailableCount(type, count - 1, horizon)) {
            for (int node = capacity.nodeWithAvailable(type, count, 0, nodes, horizon);
                    node >= 0 && n < gpus;
                    node = capacity.nodeWithAvailable(type, count, node + 1, nodes, horizon)) {
                int take = Math.min(Math.min(count, gpus - n), capacity.hostCapacityFor(node, demand, horizon));
                capacity.pickGpus(node, take, picked, n, horizon);
                n += take;
            }
        }
        return n == gpus ? Allocation.of(capacity.topology(), picked, false) : null;
    }
}
