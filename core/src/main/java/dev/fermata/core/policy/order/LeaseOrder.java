package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.queue.Rank;

/**
 * Time-slicing by leases, as the Dally authors' simulator drives its policies: a job keeps its GPUs for a lease and then
 * competes with those who wait, and again at the end of every further lease. Their engine takes the GPUs of everyone
 * whose lease ends and hands them out again; here whoever would get them back keeps them.
 */
public final class LeaseOrder implements Order {
    /** Who goes first; ties by longest wait, then id. */
    public enum By {
        /** The longest-waiting (Gandiva). */
        WAIT,
        /** Whom the network has hurt most, never-run jobs before all (Dally). */
        NETWORK_SENSITIVITY,
        /** Who has had least GPU-time (Tiresias, continuous). */
        SERVICE
    }

    private static final int STEPS = 1000;

    private final long leaseMillis;
    private final By by;

    public LeaseOrder(long leaseMillis, By by) {
        this.leaseMillis = leaseMillis;
        this.by = by;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(level(job, view), base(job, view, job.queuedMillis()));
    }

    @Override
    public Rank running(JobView job, View view) {
        long leases = Math.max(1, (view.nowMillis() - job.runningMillis()) / leaseMillis);
        long boundary = job.runningMillis() + leases * leaseMillis;
        return new Rank(level(job, view), base(job, view, boundary), 0, boundary + leaseMillis);
    }

    @Override
    public long protectedUntilMillis(JobView job) {
        return job.runningMillis() + leaseMillis;
    }

    private long base(JobView job, View view, long sinceMillis) {
        return by == By.SERVICE ? job.attainedGpuMillis(view.nowMillis()) : sinceMillis;
    }

    private int level(JobView job, View view) {
        return Order.level(job) * (STEPS + 1) + (by == By.NETWORK_SENSITIVITY ? sensitivity(job, view) : 0);
    }

    /**
     * {@code W / (gpuTime / idealJct)} in thousandths, where W is the share of the work done and idealJct the time of all
     * of it without a network: that is compute time over time held. 0 for a job that never ran, 1000 without any loss.
     */
    static int sensitivity(JobView job, View view) {
        long held = job.attainedMillis(view.nowMillis());
        if (held == 0) {
            return 0;
        }
        int best = job.typesByPreference()[0];
        double ideal = held * SpeedModel.withoutNetwork(job.job(), view.topology(), best);
        return (int) Math.min(STEPS, Math.round(STEPS * job.doneWorkMillis(view.nowMillis()) / ideal));
    }
}
