package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.queue.Rank;

/**
 * Time-slicing by leases, as the Dally authors' simulator drives its policies: a job keeps its GPUs for a lease, then
 * competes with those who wait, and if it keeps them, it keeps them for another lease. Their engine takes the GPUs of
 * everyone whose lease ends and hands them out anew, most deserving first; here whoever would get the same GPUs back is
 * left in peace. A job that runs slower than it could elsewhere would not want them back, so at the end of its lease it
 * yields to anyone who can use them, and then goes first for a better place as its rank in the queue says.
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
    /** Behind everyone of the same priority who waits. */
    private static final int YIELDS = STEPS + 1;
    /** How long the end of a lease lasts: whoever decides then may still be a little late. */
    private static final long MOMENT_MILLIS = 1000;
    /** Below this share of its best pace a job would rather be elsewhere. */
    private static final double CONTENT = 0.98;

    private final long leaseMillis;
    private final By by;
    private final boolean anew;

    /** @param anew whether a job that would rather be elsewhere yields at the end of its lease */
    public LeaseOrder(long leaseMillis, By by, boolean anew) {
        this.leaseMillis = leaseMillis;
        this.by = by;
        this.anew = anew;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(level(job, step(job, view)), base(job, view, job.queuedMillis()));
    }

    @Override
    public Rank running(JobView job, View view) {
        long now = view.nowMillis();
        long since = now - (now - job.runningMillis()) % leaseMillis;
        int step = anew && misplaced(job, view) ? YIELDS : step(job, view);
        long closes = protectedUntilMillis(job, now) > now ? Plan.NEVER : since + moment() + 1;
        return new Rank(level(job, step), base(job, view, since), 0, closes);
    }

    /** Protected but for a moment at the end of every lease. */
    @Override
    public long protectedUntilMillis(JobView job, long nowMillis) {
        long ran = nowMillis - job.runningMillis();
        boolean ends = ran >= leaseMillis && ran % leaseMillis <= moment();
        return ends ? 0 : job.runningMillis() + (ran / leaseMillis + 1) * leaseMillis;
    }

    private long moment() {
        return Math.min(MOMENT_MILLIS, leaseMillis / 100);
    }

    private long base(JobView job, View view, long sinceMillis) {
        return by == By.SERVICE ? job.attainedGpuMillis(view.nowMillis()) : sinceMillis;
    }

    private static int level(JobView job, int step) {
        return Order.level(job) * (YIELDS + 1) + step;
    }

    private int step(JobView job, View view) {
        return by == By.NETWORK_SENSITIVITY ? sensitivity(job, view) : 0;
    }

    private static boolean misplaced(JobView job, View view) {
        Allocation held = job.allocation();
        if (held == null || held.nodeCount() == 1) {
            return false;
        }
        int type = view.topology().typeOf(held.gpu(0));
        Shape tightest = view.topology().tightest(type, held.size());
        Pace best = SpeedModel.alone(job.job(), view.topology(), type, held.size(), tightest);
        return job.paceMicro() < CONTENT * best.micro();
    }

    /**
     * {@code W / (gpuTime / idealJct)} in thousandths, where W is the share of the work done and idealJct the time of all
     * of it without a network: that is compute time over time held. 0 for a job that never ran, 1000 without any loss.
     */
    public static int sensitivity(JobView job, View view) {
        long held = job.attainedMillis(view.nowMillis());
        if (held == 0) {
            return 0;
        }
        int best = job.typesByPreference()[0];
        double ideal = held * SpeedModel.withoutNetwork(job.job(), view.topology(), best);
        return (int) Math.min(STEPS, Math.round(STEPS * job.doneWorkMillis(view.nowMillis()) / ideal));
    }
}
