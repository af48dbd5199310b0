package dev.fermata.sim.invariants;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.invariants.CheckedJob.TrackedState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Without any one of its victims a job would not fit: by count of GPUs, or by node and rack where the placement insists
 * on it. No law here counts CPU and RAM, so jobs that need them are left out. An urgent trial need not wait for GPUs that
 * others are vacating; free GPUs count.
 */
final class MinimalVictimsRule {
    /** A preempted job and the GPUs that it frees. */
    record Victim(long jobId, Allocation held) {}

    private final Topology topology;
    private final PolicyAllowances allowances;
    private final LawAssert laws;

    MinimalVictimsRule(Topology topology, PolicyAllowances allowances, LawAssert laws) {
        this.topology = topology;
        this.allowances = allowances;
        this.laws = laws;
    }

    /**
     * @param usable whether a GPU is free, in order and not reserved
     * @param usableSoon the same, or being vacated
     */
    void check(
            long now,
            CheckedJob job,
            HistoryRecord.Reserved reserved,
            List<Victim> victims,
            IntPredicate usable,
            IntPredicate usableSoon) {
        if (job.job.demand().needsHostResources() || job.state == TrackedState.PREEMPTING) {
            return;
        }
        int type = topology.typeOf(reserved.allocation().gpu(0));
        boolean hurries = allowances.hurries() && victims.size() == 1 && job.mayBeUrgent(now);
        IntPredicate available = hurries ? usable : usableSoon;
        for (Victim victim : victims) {
            Set<Integer> gpus = new HashSet<>();
            for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
                if (topology.typeOf(gpu) == type && available.test(gpu) && !victim.held.contains(gpu)) {
                    gpus.add(gpu);
                }
            }
            laws.require(
                    !fits(gpus, job.job.demand().minGpus(), type),
                    "no victim for nothing",
                    reserved + " would fit without " + victim);
        }
    }

    private boolean fits(Set<Integer> gpus, int need, int type) {
        if (!allowances.declines() || (need > topology.largestNode(type) && need > topology.largestRack(type))) {
            return gpus.size() >= need;
        }
        Map<Integer, Integer> together = new HashMap<>();
        boolean oneNode = need <= topology.largestNode(type);
        for (int gpu : gpus) {
            int node = topology.nodeOf(gpu);
            together.merge(oneNode ? node : topology.node(node).rack(), 1, Integer::sum);
        }
        return together.values().stream().anyMatch(count -> count >= need);
    }
}
