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
        long lower = running.weightAfter(type, waiting.rank(), nowMillis);
        List<RankedJob> best =
                lower < view.schedulableGpus(type) / FEW_LOWER ? fewestOnNodesOfLowerRanked() : fewestOnAnyNode();
        boolean missingEverywhere = capacity.nextAvailableCount(type, need.gpus(), Horizon.SOON) < 0;
        if (best == null
                && onlyGpusMatter
                && missingEverywhere) { // else larger jobs may lack GPUs where this one does not
            running.recordFutile(type, need, view.capacityVersion());
        }
        return best;
    }

    /** Looks at every node that may have enough victims. */
    private @Nullable List<RankedJob> fewestOnAnyNode() {
        IntUnaryOperator available = node -> capacity.availableOnNode(node, Horizon.SOON);
        VictimNeed wanted = need;
        List<RankedJob> best = null;
        for (int node = running.nextNode(type, 0, wanted, available);
                node >= 0 && wanted.maxJobs() > 0;
                node = running.nextNode(type, node + 1, wanted, available)) {
            List<RankedJob> found = fewestVictimsOn(node, wanted.maxJobs());
            if (found != null) {
                best = found;
                wanted = wanted.atMost(found.size() - 1); // only fewer are of interest from here on
            }
        }
        return best;
    }

    /** The same where few jobs rank lower: looks only at their nodes, in the order of nodes. */
    private @Nullable List<RankedJob> fewestOnNodesOfLowerRanked() {
        BitSet nodes = new BitSet();
        running.forEachAfter(type, waiting.rank(), nowMillis, lower -> {
            Allocation held = lower.job().allocation();
            for (int k = 0; held != null && k < held.nodeCount(); k++) {
                nodes.set(held.node(k));
            }
        });
        VictimNeed wanted = need;
        List<RankedJob> best = null;
        for (int node = nodes.nextSetBit(0); node >= 0 && wanted.maxJobs() > 0; node = nodes.nextSetBit(node + 1)) {
            int available = capacity.availableOnNode(node, Horizon.SOON);
            List<RankedJob> found =
                    running.mayFree(node, wanted, available) ? fewestVictimsOn(node, wanted.maxJobs()) : null;
            if (found != null) {
                best = found;
                wanted = wanted.atMost(found.size() - 1);
            }
        }
        return best;
    }

    /**
     * At most {@code maxJobs} jobs of a node, last in rank first, that together free what is missing there, or null. Where no
     * GPU is missing it is CPU or RAM, and null is the answer too.
     */
    private @Nullable List<RankedJob> fewestVictimsOn(int node, int maxJobs) {
        int missing = need.gpus() - capacity.availableOnNode(node, Horizon.SOON);
        List<RankedJob> candidates = new ArrayList<>();
        int freed = 0;
        for (RankedJob nodeJob : running.onNode(node)) {
            if (search.ranksLower(nodeJob) && search.isPreemptible(nodeJob)) {
                candidates.add(nodeJob);
                freed += search.freedOn(node, nodeJob.job());
            }
        }
        if (missing <= 0 || freed < missing) {
            return null;
        }
        candidates.sort(RunningJobs.lowestRankFirstOrder(nowMillis));
        List<RankedJob> found = new ArrayList<>();
        for (int i = 0; missing > 0; i++) {
            found.add(candidates.get(i));
            missing -= search.freedOn(node, candidates.get(i).job());
        }
        return found.size() <= maxJobs ? found : null;
    }
}
