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

    /** Where a gang finds GPUs enough that are in use; null for a single GPU, which every node with one has. */
    private @Nullable JoinableNodes nodes;

    private int type;
    private int step;
    private int mib;
    /** The last answers: the next node with GPUs enough in use, and the next with free ones. */
    private int nextInUse;

    private int nextFree;

    SharedGpuSearch(Topology topology) {
        this.topology = topology;
        this.offered = new int[topology.gpuCount()];
        this.counts = new int[topology.nodes().size()];
        this.searchOf = new long[topology.nodes().size()];
    }

    /**
     * A search for another job begins.
     *
     * @param joinable where its gang finds enough GPUs in use; null for a single GPU
     */
    void begin(@Nullable JoinableNodes joinable, int ofType, int needMib) {
        search++;
        nodes = joinable;
        type = ofType;
        mib = needMib;
    }

    /** From now on the GPUs of this step are asked for, from the first one on. */
    void beginStep(int ofStep) {
        step = ofStep;
        nextInUse = -1;
        nextFree = -1;
    }

    /** Whether no GPU of this one's node was offered yet. */
    boolean isFirstOfNode(int gpu) {
        return searchOf[topology.nodeOf(gpu)] != search;
    }

    /** The first GPU, from this one on, of a node where one of this step may complete a set, or -1. */
    int firstUseful(int gpu, FreeCapacity capacity) {
        JoinableNodes joinable = nodes;
        if (joinable == null) {
            return gpu;
        }
        int node = topology.nodeOf(gpu);
        int end = topology.nodes().size();
        if (nextInUse < node) {
            int found = joinable.next(node, step, mib);
            nextInUse = found < 0 ? end : found;
        }
        if (nextFree < node) {
            nextFree = nextFree(node, end, capacity);
        }
        int first = Math.min(nextInUse, nextFree);
        if (first == node) {
            return gpu;
        }
        return first == end ? -1 : topology.node(first).firstGpu();
    }

    private int nextFree(int from, int end, FreeCapacity capacity) {
        int first = end;
        for (int count = capacity.nextAvailableCount(type, 1, Horizon.NOW);
                count >= 0;
                count = capacity.nextAvailableCount(type, count + 1, Horizon.NOW)) {
            int node = capacity.nodeWithAvailable(type, count, from, first, Horizon.NOW);
            first = node < 0 ? first : node;
        }
        return first;
    }

    /** Offers a GPU; returns a complete set as soon as there is one. Every further GPU of that node replaces its worst. */
    int @Nullable [] add(int gpu, FreeCapacity capacity, Demand demand) {
        int need = demand.minGpus();
        int node = topology.nodeOf(gpu);
        if (searchOf[node] != search) {
            searchOf[node] = search;
            counts[node] = 0;
        }
        boolean fits = need <= topology.node(node).gpus()
                && capacity.isShareable(gpu)
                && demand.gpuMemoryOn(topology, gpu) <= capacity.freeGpuMemoryMib(gpu)
                && (demand.gpuMilli() == 1000 || demand.gpuMilli() <= capacity.freeGpuMilli(gpu))
                && capacity.hostCapacityFor(node, demand, Horizon.NOW) >= need;
        if (!fits) {
            return null;
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
