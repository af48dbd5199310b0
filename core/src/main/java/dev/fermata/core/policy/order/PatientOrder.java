package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.queue.Rank;

/**
 * Least remaining work first, but whoever has waited for longer than his patience goes before all who have not, in order of
 * arrival. For policies that pause nobody.
 */
public final class PatientOrder implements Order {
    private final long patienceMillis;

    /** @param patienceMillis 0 for patience without end */
    public PatientOrder(long patienceMillis) {
        this.patienceMillis = patienceMillis;
    }

    /** Whether a waiting job with this rank has run out of patience. */
    public static boolean impatient(Rank rank) {
        return (rank.level() & 1) == 0;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        int level = 2 * Order.level(job);
        long until = patienceMillis == 0 ? Plan.NEVER : job.queuedMillis() + patienceMillis;
        return until <= view.nowMillis()
                ? Rank.fixed(level, job.ticketMillis())
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
