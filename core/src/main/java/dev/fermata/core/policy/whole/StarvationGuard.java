package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prevents that a job is passed over for ever: the first job that others have overtaken too often goes next. The node with
 * most room for it (for a larger gang, as few nodes as can hold it) is kept for it: no other job starts there. One
 * job at a time; choosing the nodes costs O(GPUs), once for each such job.
 */
final class StarvationGuard {
    private final int maxSkip;
    private ArrivalQueue.@Nullable QueuedJob next;
    private BitSet reservedNodes = new BitSet();
    private boolean drafted;

    StarvationGuard(int maxSkip) {
        this.maxSkip = maxSkip;
    }

    /** The job that goes next, or null. */
    ArrivalQueue.@Nullable QueuedJob next() {
        return next;
    }

    /** The nodes kept for it. */
    BitSet reservedNodes() {
        return reservedNodes;
    }

    /** A new decision begins: nothing is drafted yet. */
    void beginDecision() {
        drafted = false;
    }

    /** Looks for a job that was passed over too often; returns whether anything changed. */
    boolean update(ArrivalQueue queue, List<ArrivalQueue.QueuedJob> window, FreeCapacity capacity) {
        ArrivalQueue.QueuedJob was = next;
        if (next != null && queue.place(next.job) != next) {
            next = null; // it started, or is gone
        }
        for (int i = 0; i < window.size() && next == null; i++) {
            next = window.get(i).passedOver >= maxSkip ? window.get(i) : null;
        }
        if (next == was && (next == null || allUp(capacity))) {
            return false;
        }
        reservedNodes = next == null ? new BitSet() : roomiestNodes(next.job, capacity);
        drafted = false;
        return true;
    }

    /** Keeps what is free on these nodes from other jobs, for the rest of this decision. */
    void reserveNodes(Draft draft) {
        for (int node = reservedNodes.nextSetBit(0); node >= 0 && !drafted; node = reservedNodes.nextSetBit(node + 1)) {
            int free = draft.capacity().availableOnNode(node, Horizon.NOW);
            if (next != null && free > 0) {
                int[] gpus = new int[free];
                draft.capacity().pickGpus(node, free, gpus, 0, Horizon.NOW);
                draft.allocate(next.job, Allocation.of(draft.capacity().topology(), gpus, false));
            }
        }
        drafted = true;
    }

    private static BitSet roomiestNodes(JobView job, FreeCapacity capacity) {
        BitSet max = new BitSet();
        for (int type : job.typesByPreference()) {
            BitSet nodes = new BitSet();
            if (gather(job.job().demand(), type, nodes, capacity)) {
                return nodes;
            }
            max.or(nodes);
        }
        return max; // too much is down: whatever there is
    }

    /** Picks one node of a type that could hold the whole job, else as many as it takes; returns whether they could. */
    private static boolean gather(Demand demand, int type, BitSet nodes, FreeCapacity capacity) {
        List<Node> healthy = capacity.topology().nodes().stream()
                .filter(n -> n.type() == type && demand.maxGpusOn(n) > 0 && !isDown(n, capacity))
                .sorted(Comparator.<Node>comparingInt(n -> -capacity.availableOnNode(n.index(), Horizon.NOW))
                        .thenComparingInt(n -> jobs(n, capacity))
                        .thenComparingInt(Node::index))
                .toList();
        int missing = demand.minGpus();
        for (Node node : healthy) {
            if (demand.maxGpusOn(node) >= demand.minGpus()) {
                nodes.clear();
                nodes.set(node.index());
                return true;
            }
            if (missing > 0) {
                nodes.set(node.index());
                missing -= demand.maxGpusOn(node);
            }
        }
        return missing <= 0;
    }

    private boolean allUp(FreeCapacity capacity) {
        return reservedNodes.stream()
                .noneMatch(node -> isDown(capacity.topology().node(node), capacity));
    }

    /** Neither free nor in use: it is down, and may stay so for long. */
    private static boolean isDown(Node node, FreeCapacity capacity) {
        return capacity.availableOnNode(node.index(), Horizon.SOON) == 0 && jobs(node, capacity) == 0;
    }

    private static int jobs(Node node, FreeCapacity capacity) {
        int jobs = 0;
        for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
            jobs += capacity.jobsOn(gpu);
        }
        return jobs;
    }
}
