package dev.fermata.sim.invariants;

import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.invariants.CheckedJob.TrackedState;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Work conservation. Under a policy that declines GPUs it holds only where there is nothing to decline: enough GPUs on one node, of
 * a type that suits the job as well as any. A job whose reason is RESERVATION, and those behind it in its
 * demand class, wait for one that may not be overtaken. No
 * law here counts CPU and RAM, so jobs that need them are left out.
 */
final class WorkConservationRule {
    private final Topology topology;
    private final PolicyAllowances allowances;
    private final LawAssert laws;

    WorkConservationRule(Topology topology, PolicyAllowances allowances, LawAssert laws) {
        this.topology = topology;
        this.allowances = allowances;
        this.laws = laws;
    }

    /**
     * @param usable whether a GPU is free, in order and not reserved
     * @param cycle what happened in the scheduling cycle, for the message
     */
    void check(long now, List<CheckedJob> liveJobs, IntPredicate usable, Scheduler scheduler, Supplier<String> cycle) {
        if (allowances.reserves()) {
            return;
        }
        for (int type = 0; type < topology.types().size(); type++) {
            int free = free(type, usable);
            for (CheckedJob job : free == 0 ? List.<CheckedJob>of() : liveJobs) {
                if (mayStart(job) && suits(job, type)) {
                    PendingReason reason = scheduler.explain(job.job.id());
                    int need = job.job.demand().minGpus();
                    if (!PendingReasonRule.isGated(reason) && !isBehindReservation(job, liveJobs, scheduler)) {
                        laws.require(
                                need > free,
                                "no job waits while GPUs that suit it are free",
                                () -> "at " + now + ": " + job.job.name() + " needs " + need + ", free " + free + ", "
                                        + reason + ", " + cycle.get());
                    }
                }
            }
        }
    }

    /** GPUs of a type that a job could have: all usable ones, or those of the node with most where closeness matters. */
    private int free(int type, IntPredicate usable) {
        int all = 0;
        int max = 0;
        for (Node node : topology.nodes()) {
            int here = 0;
            for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
                here += node.type() == type && usable.test(gpu) ? 1 : 0;
            }
            all += here;
            max = Math.max(max, here);
        }
        return allowances.declines() ? max : all;
    }

    private boolean mayStart(CheckedJob job) {
        boolean behindTrials = allowances.prefersTrials() && job.job.jobClass() == JobClass.BATCH;
        return job.state == TrackedState.PENDING
                && job.reservation == null
                && !behindTrials
                && job.suspendedOn == null // it waits for GPUs of the nodes where its processes are
                && !job.onHold
                && !job.job.demand().needsHostResources();
    }

    private boolean suits(CheckedJob job, int type) {
        long eligible = job.job.demand().eligibleTypes(topology);
        boolean choice = allowances.declines() && Long.bitCount(eligible) > 1;
        return (eligible >> type & 1) != 0 && !choice;
    }

    /** Whether the job waits for one that may not be overtaken: itself, or behind the first of its demand class. */
    private boolean isBehindReservation(CheckedJob job, List<CheckedJob> liveJobs, Scheduler scheduler) {
        ReasonCode code = scheduler.explain(job.job.id()).code();
        return code == ReasonCode.RESERVATION
                || (code == ReasonCode.PRIORITY
                        && liveJobs.stream()
                                .filter(first -> first.state == TrackedState.PENDING && isAlike(first, job))
                                .anyMatch(first ->
                                        scheduler.explain(first.job.id()).code() == ReasonCode.RESERVATION));
    }

    private boolean isAlike(CheckedJob a, CheckedJob b) {
        return a.job.demand().minGpus() == b.job.demand().minGpus()
                && a.job.demand().maxGpus() == b.job.demand().maxGpus()
                && a.job.demand().eligibleTypes(topology) == b.job.demand().eligibleTypes(topology);
    }
}
