package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Topology;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects GPUs for co-location, offered from the best on, until those of one node (its empty ones included) are enough. It
 * is used for one job after another, since a search may be offered GPUs of thousands of nodes.
 */
final class SharedGpuSearch {
    private final Topology topology;
    /** The GPUs that were offered, those of a node from its first GPU on. */
    private final int[] offered;
    /** How many of each node, and in which search. */
    private final int[] counts;

    private final long[] searchOf;
    private long search;

    SharedGpuSearch(Topology topology) {
        this.topology = topology;
        this.offered = new int[topology.gpuCount()];
        this.counts = new int[topology.nodes().size()];
        this.searchOf = new long[topology.nodes().size()];
    }

    /** A search for another job begins. */
    void begin() {
        search++;
    }

    /** Offers a GPU; returns a complete set as soon as there is one. Every further GPU of that node replaces its worst. */
    int @Nullable [] add(int gpu, FreeCapacity capacity, Demand demand) {
        int need = demand.minGpus();
        int node = topology.nodeOf(gpu);
        boolean fits = need <= topology.node(node).gpus()
                && capacity.isShareable(gpu)
                && demand.gpuMemoryOn(topology, gpu) <= capacity.freeGpuMemoryMib(gpu)
                && (demand.gpuMilli() == 1000 || demand.gpuMilli() <= capacity.freeGpuMilli(gpu))
                && capacity.hostCapacityFor(node, demand, Horizon.NOW) >= need;
        if (!fits) {
            return null;
        }
        if (searchOf[node] != search) {
            searchOf[node] = search;
            counts[node] = 0;
        }
        int first = topology.node(node).firstGpu();
        int free = Math.min(need - 1, capacity.availableOnNode(node, Horizon.NOW));
        int joined = Math.min(need - free - 1, counts[node]);
        offered[first + joined] = gpu;
        counts[node] = joined + 1;
        if (joined + 1 + free < need) {
            return null;
        }
        int[] set = Arrays.copyOfRange(offered, first, first + need);
        if (free > 0) {
            capacity.pickGpus(node, free, set, joined + 1, Horizon.NOW);
        }
        return set;
    }
}
