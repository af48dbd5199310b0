package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Demand;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects GPUs in use by others, offered from the best on, until those of one node (its empty ones included) are enough. */
final class JoinSearch {
    private final Space space;
    private final Demand demand;
    private final Map<Integer, int[]> byNode = new HashMap<>();
    private final Map<Integer, Integer> counts = new HashMap<>();

    JoinSearch(Space space, Demand demand) {
        this.space = space;
        this.demand = demand;
    }

    /** Offers a GPU; answers a complete set as soon as there is one. Every further GPU of that node replaces its worst. */
    int @Nullable [] add(int gpu) {
        int need = demand.minGpus();
        int node = space.topology().nodeOf(gpu);
        boolean fits = need <= space.topology().node(node).gpus()
                && space.open(gpu)
                && demand.memoryOn(space.topology(), gpu) <= space.memoryLeftMib(gpu)
                && (demand.gpuMilli() == 1000 || demand.gpuMilli() <= space.milliLeft(gpu))
                && space.hostRoom(node, demand, Horizon.NOW) >= need;
        if (!fits) {
            return null;
        }
        int free = Math.min(need - 1, space.onNode(node, Horizon.NOW));
        int[] set = byNode.computeIfAbsent(node, n -> new int[need]);
        int joined = Math.min(need - free - 1, counts.getOrDefault(node, 0));
        set[joined] = gpu;
        counts.put(node, joined + 1);
        if (joined + 1 + free < need) {
            return null;
        }
        if (free > 0) {
            space.pick(node, free, set, joined + 1, Horizon.NOW);
        }
        return set.clone();
    }
}
