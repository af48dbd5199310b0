package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Demand;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects GPUs for co-location, offered from the best on, until those of one node (its empty ones included) are enough. */
final class SharedGpuSearch {
    private final FreeCapacity capacity;
    private final Demand demand;
    private final Map<Integer, int[]> byNode = new HashMap<>();
    private final Map<Integer, Integer> counts = new HashMap<>();

    SharedGpuSearch(FreeCapacity capacity, Demand demand) {
        this.capacity = capacity;
        this.demand = demand;
    }

    /** Offers a GPU; returns a complete set as soon as there is one. Every further GPU of that node replaces its worst. */
    int @Nullable [] add(int gpu) {
        int need = demand.minGpus();
        int node = capacity.topology().nodeOf(gpu);
        boolean fits = need <= capacity.topology().node(node).gpus()
                && capacity.isShareable(gpu)
                && demand.gpuMemoryOn(capacity.topology(), gpu) <= capacity.freeGpuMemoryMib(gpu)
                && (demand.gpuMilli() == 1000 || demand.gpuMilli() <= capacity.freeGpuMilli(gpu))
                && capacity.hostCapacityFor(node, demand, Horizon.NOW) >= need;
        if (!fits) {
            return null;
        }
        int free = Math.min(need - 1, capacity.availableOnNode(node, Horizon.NOW));
        int[] set = byNode.computeIfAbsent(node, n -> new int[need]);
        int joined = Math.min(need - free - 1, counts.getOrDefault(node, 0));
        set[joined] = gpu;
        counts.put(node, joined + 1);
        if (joined + 1 + free < need) {
            return null;
        }
        if (free > 0) {
            capacity.pickGpus(node, free, set, joined + 1, Horizon.NOW);
        }
        return set.clone();
    }
}
