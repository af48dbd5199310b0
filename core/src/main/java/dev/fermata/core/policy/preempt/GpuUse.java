package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.WaitingJobs.DemandClass;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/** How many more GPUs are in use after a preemption than before it. */
final class GpuUse {
    private GpuUse() {}

    /**
     * The GPUs of the newcomer, and what waiting jobs can use of those that the victims leave unused, less those of
     * the victims. Where the newcomer needs more than the victims hold, the rest was idle. Costs O(demand classes).
     */
    static int change(View view, RankedJobs rankedJobs, RankedJob waiting, Allocation place, List<RankedJob> victims) {
        int left = heldBy(victims) - place.size();
        if (left <= 0) {
            return -left;
        }
        long type = 1L << view.topology().typeOf(place.gpu(0));
        long wanted = 0;
        for (DemandClass demandClass : rankedJobs.waiting().demandClasses()) {
            boolean fits = demandClass.head().job().job().demand().minGpus() <= left
                    && (demandClass.head().job().eligibleTypes() & type) != 0;
            long others = demandClass.tree().weight() - (demandClass == waiting.demandClass() ? waiting.weight() : 0);
            wanted += fits ? others : 0;
        }
        return (int) Math.min(0, wanted - left);
    }

    /** Two victims that share a GPU leave one. */
    private static int heldBy(List<RankedJob> victims) {
        BitSet gpus = new BitSet();
        for (RankedJob victim : victims) {
            Allocation held = Objects.requireNonNull(victim.job().allocation());
            for (int i = 0; i < held.size(); i++) {
                gpus.set(held.gpu(i));
            }
        }
        return gpus.cardinality();
    }
}
