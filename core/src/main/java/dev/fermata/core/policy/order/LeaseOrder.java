package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.queue.Rank;
import org.jspecify.annotations.Nullable;

/**
 * Time-slicing by leases, as the Dally authors' simulator drives its policies: a job keeps its GPUs for a lease and then
 * competes with those who wait. Either the longest-waiting goes first (Gandiva), or the job that the network has hurt
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
    public Rank waiting(JobView job, View view, @Nullable Rank previous) {
        return Rank.fixed(level(job, view), job.queuedMillis());
    }

    @Override
    public Rank running(JobView job, View view, @Nullable Rank previous) {
        long leaseEnd = protectedUntilMillis(job);
        long rekeyAt = Math.max(leaseEnd, view.nowMillis() + leaseMillis);
        return new Rank(level(job, view), leaseEnd, 0, rekeyAt);
    }

    @Override
    public long protectedUntilMillis(JobView job) {
        return job.runningMillis() + leaseMillis;
    }

    private int level(JobView job, View view) {
        return Order.level(job) * 2000 + (byNetworkSensitivity ? sensitivity(job, view) : 0);
    }

    /** Work done per millisecond held, in thousandths of the reference speed; 0 for a job that never ran. */
    private static int sensitivity(JobView job, View view) {
        long held = job.attainedMillis(view.nowMillis());
        if (held == 0) {
            return 0;
        }
        double done = job.doneWorkMillis(view.nowMillis());
        return (int) Math.min(1999, Math.round(1000 * done / held));
    }
}
