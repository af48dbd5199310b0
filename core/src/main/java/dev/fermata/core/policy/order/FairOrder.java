package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.Rank;

/**
 * Finish-time fairness: the job whose completion is most delayed against having the GPUs for itself goes first,
 * {@code rho = (now - submitted + remaining) / (attained + remaining)}. A running job keeps its GPUs for a lease. Rho is
 * rounded down to steps of a tenth, so a waiting job is ranked again only when it has grown by that much.
 *
 * <p>After Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020 (rho and leases; the partial
 * auction is left out).
 */
public final class FairOrder implements JobOrder {
    private static final double STEP = StrictMath.log(1.1);
    private final long leaseMillis;

    public FairOrder(long leaseMillis) {
        this.leaseMillis = leaseMillis;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        double remaining = view.remainingMillis(job);
        double ideal = job.attainedMillis(view.nowMillis()) + remaining;
        double shared = view.nowMillis() - job.submittedMillis() + remaining;
        int step = (int) Math.floor(StrictMath.log(Math.max(1, shared / ideal)) / STEP + 1e-9);
        double nextShared = StrictMath.exp((step + 1) * STEP) * ideal;
        long wait = (long) Math.ceil(nextShared - shared) + 1;
        boolean grows = job.state() == JobState.PENDING;
        long recomputeAt = view.nowMillis() + (grows ? Math.max(1, wait) : leaseMillis);
        int level = JobOrder.priorityLevel(job) * 1000 - Math.min(999, step);
        return new Rank(level, job.fifoKeyMillis(), 0, recomputeAt);
    }

    @Override
    public long protectedUntilMillis(JobView job, long nowMillis) {
        return job.runningMillis() + leaseMillis;
    }
}
