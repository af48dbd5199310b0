package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.Rank;

/**
 * Least remaining work first, but jobs that have waited for longer than their patience go before all others, in order of
 * arrival. For policies without preemption.
 */
public final class AgingOrder implements JobOrder {
    private final long patienceMillis;

    /** @param patienceMillis 0 for patience without end */
    public AgingOrder(long patienceMillis) {
        this.patienceMillis = patienceMillis;
    }

    /** Whether a waiting job with this rank has run out of patience. */
    public static boolean isOverdue(Rank rank) {
        return (rank.level() & 1) == 0;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        int level = 2 * JobOrder.priorityLevel(job);
        long until = patienceMillis == 0 ? Plan.NEVER : job.queuedMillis() + patienceMillis;
        return until <= view.nowMillis()
                ? Rank.fixed(level, job.fifoKeyMillis())
                : new Rank(level + 1, view.remainingMillis(job), 0, until);
    }

    @Override
    public Rank running(JobView job, View view) {
        return Rank.fixed(0, 0);
    }

    @Override
    public long protectedUntilMillis(JobView job, long nowMillis) {
        return Plan.NEVER;
    }
}
