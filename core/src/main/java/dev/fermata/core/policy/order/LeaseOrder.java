package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.queue.Rank;

/**
 * Time-slicing by leases, as the Dally authors' simulator drives its policies: a job keeps its GPUs for a lease and then
 * competes with those who wait, and again at the end of every further lease. Either the longest-waiting goes first (Gandiva), or the job that the network has hurt
 * most (work done per time held, lowest first; never-run jobs before all), ties by longest wait.
 */
public final class LeaseOrder implements Order {
    private final long leaseMillis;
    private final boolean byNetworkSensitivity;

    public LeaseOrder(long leaseMillis, boolean byNetworkSensitivity) {
        this.leaseMillis = leaseMillis;
        this.byNetworkSensitivity = byNetworkSensitivity;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(level(job, view), job.queuedMillis());
    }

    @Override
    public Rank running(JobView job, View view) {
        long leases = Math.max(1, (view.nowMillis() - job.runningMillis()) / leaseMillis);
        long boundary = job.runningMillis() + leases * leaseMillis;
        return new Rank(level(job, view), boundary, 0, boundary + leaseMillis);
    }

    @Override
    public long protectedUntilMillis(JobView job) {
        return job.runningMillis() + leaseMillis;
    }

    private int level(JobView job, View view) {
        return Order.level(job) * 1001 + (byNetworkSensitivity ? sensitivity(job, view) : 0);
    }

    /** Work done per time held, in thousandths of what its best GPU type here would do; 0 for a job that never ran. */
    private static int sensitivity(JobView job, View view) {
        long held = job.attainedMillis(view.nowMillis());
        if (held == 0) {
            return 0;
        }
        int best = job.typesByPreference()[0];
        double ideal =
                held * job.job().profile().speedOn(view.topology().types().get(best));
        return (int) Math.min(1000, Math.round(1000 * job.doneWorkMillis(view.nowMillis()) / ideal));
    }
}
