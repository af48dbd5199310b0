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
 * a type that suits the job as well as any. No law here counts CPU and RAM, so jobs that need them are left out.
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
        boolean heldBack = allowances.holdsBack()
                && liveJobs.stream().anyMatch(job -> job.state == TrackedState.PENDING && job.mayBeStarved(now));
        if (heldBack || allowances.reserves() || anyReservation(liveJobs, scheduler)) {
            return;
        }
        for (int type = 0; type < topology.types().size(); type++) {
            int free = free(type, usable);
            for (CheckedJob job : liveJobs) {
                if (mayStart(job)
                        && suits(job, type)
                        && job.job.demand().minGpus() <= free
                        && !PendingReasonRule.isGated(scheduler.explain(job.job.id()))) {
                    laws.require(
                            false,
                            "no job waits while GPUs that suit it are free",
                            "at " + now + ": " + job.job.name() + " needs "
                                    + job.job.demand().minGpus() + ", free " + free + ", "
                                    + scheduler.explain(job.job.id()) + ", " + cycle.get());
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
                && !job.onHold
                && !job.job.demand().needsHostResources();
    }

    private boolean suits(CheckedJob job, int type) {
        long eligible = job.job.demand().eligibleTypes(topology);
        boolean choice = allowances.declines() && Long.bitCount(eligible) > 1;
        return (eligible >> type & 1) != 0 && !choice;
    }

    private static boolean anyReservation(List<CheckedJob> liveJobs, Scheduler scheduler) {
        return liveJobs.stream()
                .map(job -> scheduler.explain(job.job.id()))
                .anyMatch(WorkConservationRule::isReservation);
    }

    private static boolean isReservation(PendingReason pendingReason) {
        return pendingReason != null && pendingReason.code() == ReasonCode.RESERVATION;
    }
}
