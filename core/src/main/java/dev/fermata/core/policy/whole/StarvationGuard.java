package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that nobody is passed over for ever: the first job that others have overtaken too often goes next. The node
 * with most room for it (for a larger gang, as few nodes as can hold it) is kept for it: nobody else starts there. One
 * job at a time; choosing the nodes costs O(GPUs), once for each such job.
 */
final class StarvationGuard {
    private final int maxSkip;
    private FirstComeLine.@Nullable Place next;
    private BitSet kept = new BitSet();
    private boolean drafted;

    StarvationGuard(int maxSkip) {
        this.maxSkip = maxSkip;
    }

    /** The job that goes next, or null. */
    FirstComeLine.@Nullable Place next() {
        return next;
    }

    /** The nodes kept for it. */
    BitSet kept() {
        return kept;
    }

    /** A new decision begins: nothing is drafted yet. */
    void open() {
        drafted = false;
    }

    /** Looks for a job that was passed over too often; answers whether anything changed. */
    boolean update(FirstComeLine line, List<FirstComeLine.Place> window, Space space) {
        FirstComeLine.Place was = next;
        if (next != null && line.place(next.job) != next) {
            next = null; // it started, or is gone
        }
        for (int i = 0; i < window.size() && next == null; i++) {
            next = window.get(i).passedOver >= maxSkip ? window.get(i) : null;
        }
        if (next == was && (next == null || allAlive(space))) {
            return false;
        }
        kept = next == null ? new BitSet() : roomiest(next.job, space);
        drafted = false;
        return true;
    }

    /** Keeps what is free on those nodes out of the reach of others, for the rest of this decision. */
    void keep(Draft draft) {
        for (int node = kept.nextSetBit(0); node >= 0 && !drafted; node = kept.nextSetBit(node + 1)) {
            int free = draft.space().onNode(node, Horizon.NOW);
            if (next != null && free > 0) {
                int[] gpus = new int[free];
                draft.space().pick(node, free, gpus, 0, Horizon.NOW);
                draft.take(next.job, Allocation.of(draft.space().topology(), gpus, false));
            }
        }
        drafted = true;
    }

    private static BitSet roomiest(JobView job, Space space) {
        BitSet most = new BitSet();
        for (int type : job.typesByPreference()) {
            BitSet nodes = new BitSet();
            if (gather(job.job().demand(), type, nodes, space)) {
                return nodes;
            }
            most.or(nodes);
        }
        return most; // too much is down: whatever there is
    }

    /** Picks one node of a type that could hold the whole job, else as many as it takes; answers whether they could. */
    private static boolean gather(Demand demand, int type, BitSet nodes, Space space) {
        List<Node> alive = space.topology().nodes().stream()
                .filter(n -> n.type() == type && demand.most(n) > 0 && !dead(n, space))
                .sorted(Comparator.<Node>comparingInt(n -> -space.onNode(n.index(), Horizon.NOW))
                        .thenComparingInt(n -> jobs(n, space))
                        .thenComparingInt(Node::index))
                .toList();
        int missing = demand.minGpus();
        for (Node node : alive) {
            if (demand.most(node) >= demand.minGpus()) {
                nodes.clear();
                nodes.set(node.index());
                return true;
            }
            if (missing > 0) {
                nodes.set(node.index());
                missing -= demand.most(node);
            }
        }
        return missing <= 0;
    }

    private boolean allAlive(Space space) {
        return kept.stream().noneMatch(node -> dead(space.topology().node(node), space));
    }

    /** Neither free nor in use: it is down, and may stay so for long. */
    private static boolean dead(Node node, Space space) {
        return space.onNode(node.index(), Horizon.SOON) == 0 && jobs(node, space) == 0;
    }

    private static int jobs(Node node, Space space) {
        int jobs = 0;
        for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
            jobs += space.sharers(gpu);
        }
        return jobs;
    }
}
