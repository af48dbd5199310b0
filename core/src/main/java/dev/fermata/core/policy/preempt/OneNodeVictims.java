package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RunningJobs;
import dev.fermata.core.policy.ranking.VictimNeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Finds the node where fewest victims let a waiting job in. It changes nothing. */
final class OneNodeVictims {
    /** Where jobs that rank lower hold less than one in this many GPUs, their nodes are looked at, not all nodes. */
    private static final int FEW_LOWER = 16;

    private final View view;
    private final FreeCapacity capacity;
    private final RunningJobs running;
    private final RankedJob waiting;
    private final int type;
    private final VictimSearch search;
    private final VictimNeed need;
    private final long nowMillis;

    /** @param search says which jobs may be victims, and what they free */
    OneNodeVictims(View view, RunningJobs running, RankedJob waiting, int type, VictimSearch search) {
        this.view = view;
        this.capacity = view.draft().capacity();
        this.running = running;
        this.waiting = waiting;
        this.type = type;
        this.search = search;
        this.nowMillis = view.nowMillis();
        this.need = new VictimNeed(waiting.job().job().demand().minGpus(), waiting.rank(), nowMillis);
    }

    /** The victims on the node where they are fewest, last in rank first; among equals the first node. Null if none has enough. */
    @Nullable
    List<RankedJob> fewest() {
        Demand demand = waiting.job().job().demand();
        boolean onlyGpusMatter = !demand.needsHostResources();
        if (onlyGpusMatter && running.isKnownFutile(type, need, view.capacityVersion())) {
            return null;
        }
        int few = view.schedulableGpus(type) / FEW_LOWER;
        long lower = running.weightAfter(type, waiting.rank(), nowMillis, few);
        // one victim is enough on some node almost always, and few nodes qualify for that
        List<RankedJob> best = lower < few ? null : fewestOn(new NodesOfOneVictim(), need.atMost(1));
        if (best == null) {
            best = fewestOn(lower < few ? nodesOfLowerRanked() : anyNode(), need);
        }
        boolean missingEverywhere = capacity.nextAvailableCount(type, need.gpus(), Horizon.SOON) < 0;
        if (best == null
                && onlyGpusMatter
                && missingEverywhere) { // else larger jobs may lack GPUs where this one does not
            running.recordFutile(type, need, view.capacityVersion());
        }
        return best;
    }

    /** The first node, from a node on, that may have enough victims, or -1. */
    private interface NodeWalk {
        int next(int from, VictimNeed wanted);
    }

    /** All nodes of the type. */
    private NodeWalk anyNode() {
        IntUnaryOperator available = node -> capacity.availableOnNode(node, Horizon.SOON);
        return (from, wanted) -> running.nextNode(type, from, wanted, available);
    }

    /** The nodes where a single victim may be enough: one job holds all that is needed, or some GPUs are available. */
    private final class NodesOfOneVictim implements NodeWalk {
        private final int end = view.topology().nodes().size();
        /** By number of available GPUs, the next node; with none, the next where one job holds enough. */
        private final int[] cursors = new int[need.gpus()];

        NodesOfOneVictim() {
            Arrays.fill(cursors, -1);
        }

        @Override
        public int next(int from, VictimNeed wanted) {
            for (int node = nextNode(from); node < end; node = nextNode(node + 1)) {
                if (view.topology().node(node).type() == type
                        && running.mayFree(node, wanted, capacity.availableOnNode(node, Horizon.SOON))) {
                    return node;
                }
            }
            return -1;
        }

        private int nextNode(int from) {
            int first = end;
            for (int count = 0; count >= 0 && count < cursors.length; ) {
                if (cursors[count] < from) {
                    int node = count == 0
                            ? running.nextOfOneVictim(from, need)
                            : capacity.nodeWithAvailable(type, count, from, end, Horizon.SOON);
                    cursors[count] = node < 0 ? end : node;
                }
                first = Math.min(first, cursors[count]);
                count = capacity.nextAvailableCount(type, count + 1, Horizon.SOON);
            }
            return first;
        }
    }

    /** Only the nodes of jobs that rank lower, where these are few. */
    private NodeWalk nodesOfLowerRanked() {
        BitSet nodes = new BitSet();
        running.forEachAfter(type, waiting.rank(), nowMillis, lower -> {
            Allocation held = lower.job().allocation();
            for (int k = 0; held != null && k < held.nodeCount(); k++) {
                nodes.set(held.node(k));
            }
        });
        return (from, wanted) -> {
            int node = nodes.nextSetBit(from);
            while (node >= 0 && !running.mayFree(node, wanted, capacity.availableOnNode(node, Horizon.SOON))) {
                node = nodes.nextSetBit(node + 1);
            }
            return node;
        };
    }

    private @Nullable List<RankedJob> fewestOn(NodeWalk nodes, VictimNeed atFirst) {
        VictimNeed wanted = atFirst;
        List<RankedJob> best = null;
        int node = nodes.next(0, wanted);
        while (node >= 0) {
            List<RankedJob> found = fewestVictimsOn(node, wanted.maxJobs());
            if (found != null && found.size() == 1) {
                return found;
            }
            if (found != null) {
                best = found;
                wanted = wanted.atMost(found.size() - 1); // only fewer are of interest from here on
            }
            node = nodes.next(node + 1, wanted);
        }
        return best;
    }

    /**
     * At most {@code maxJobs} jobs of a node, last in rank first, that together free what is missing there, or null. Where no
     * GPU is missing it is CPU or RAM, and null is the answer too.
     */
    private @Nullable List<RankedJob> fewestVictimsOn(int node, int maxJobs) {
        int missing = need.gpus() - capacity.availableOnNode(node, Horizon.SOON);
        if (missing <= 0) {
            return null;
        }
        List<RankedJob> candidates = new ArrayList<>();
        for (RankedJob nodeJob : running.onNode(node)) {
            if (search.ranksLower(nodeJob)) {
                candidates.add(nodeJob);
            }
        }
        candidates.sort(RunningJobs.lowestRankFirstOrder(nowMillis));
        List<RankedJob> found = new ArrayList<>();
        for (int i = 0; missing > 0; i++) {
            if (i == candidates.size() || found.size() == maxJobs) {
                return null;
            }
            RankedJob next = candidates.get(i);
            if (search.isPreemptible(next)) {
                found.add(next);
                missing -= search.freedOn(node, next.job());
            }
        }
        return found;
    }
}
