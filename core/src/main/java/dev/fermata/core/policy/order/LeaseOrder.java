package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.ranking.Rank;

/**
 * Time-slicing by leases, as the Dally authors' simulator drives its policies. A job keeps its GPUs for a lease and
 * then competes with the pending jobs; if it keeps them, it keeps them for another lease. Their engine takes the GPUs
 * of every job whose lease ends and hands them out again in rank order; here a job that would get the same GPUs back
 * keeps them. A job that runs slower than it could elsewhere yields at the end of its lease to any job that can use its
 * GPUs; its rank in the queue then puts it first for a better place.
 */
public final class LeaseOrder implements JobOrder {
    /** Which job goes first; ties by longest wait where the wait is known, then id. */
    public enum Criterion {
        /** The job that started last; a job that never ran counts from its submission (Gandiva). */
        LATEST_START,
        /** The job slowed most by the network, never-run jobs before all (Dally). */
        NETWORK_SENSITIVITY,
        /** The job with the least GPU-time so far (Tiresias, continuous). */
        SERVICE
    }

    private static final int STEPS = 1000;
    /** Behind every waiting job of the same priority. */
    private static final int YIELDS = STEPS + 1;
    /** How long the end of a lease lasts: the decision may come a little late. */
    private static final long LEASE_END_WINDOW_MILLIS = 1000;
    /** Below this share of its best speed a job prefers another place. */
    private static final double SATISFIED_SPEED_SHARE = 0.98;

    private final long leaseMillis;
    private final Criterion criterion;
    private final boolean relocate;

    /** @param relocate whether a job that would rather be elsewhere yields at the end of its lease */
    public LeaseOrder(long leaseMillis, Criterion criterion, boolean relocate) {
        this.leaseMillis = leaseMillis;
        this.criterion = criterion;
        this.relocate = relocate;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        long since = criterion == Criterion.LATEST_START ? lastStartMillis(job) : job.queuedMillis();
        return Rank.fixed(level(job, step(job, view)), base(job, view, since));
    }

    @Override
    public Rank running(JobView job, View view) {
        long now = view.nowMillis();
        long since = now - (now - job.runningMillis()) % leaseMillis;
        int step = relocate && isMisplaced(job, view) ? YIELDS : step(job, view);
        boolean protectedNow = protectedUntilMillis(job, now) > now;
        long closes = protectedNow ? Plan.NEVER : since + leaseEndWindowMillis() + 1;
        // at the end of a lease the job competes with the start of the lease it had
        long started = criterion == Criterion.LATEST_START && !protectedNow ? since - leaseMillis : since;
        return new Rank(level(job, step), base(job, view, started), 0, closes);
    }

    /** When the job last got GPUs; its submission where it never did. */
    public static long lastStartMillis(JobView job) {
        return job.attempt() > 0 ? job.startedMillis() : job.submittedMillis();
    }

    /** Protected but for a moment at the end of every lease. */
    @Override
    public long protectedUntilMillis(JobView job, long nowMillis) {
        long elapsed = nowMillis - job.runningMillis();
        boolean ends = elapsed >= leaseMillis && elapsed % leaseMillis <= leaseEndWindowMillis();
        return ends ? 0 : job.runningMillis() + (elapsed / leaseMillis + 1) * leaseMillis;
    }

    private long leaseEndWindowMillis() {
        return Math.min(LEASE_END_WINDOW_MILLIS, leaseMillis / 100);
    }

    private long base(JobView job, View view, long sinceMillis) {
        return switch (criterion) {
            case SERVICE -> job.attainedGpuMillis(view.nowMillis());
            case LATEST_START -> -sinceMillis;
            case NETWORK_SENSITIVITY -> sinceMillis;
        };
    }

    private static int level(JobView job, int step) {
        return JobOrder.priorityLevel(job) * (YIELDS + 1) + step;
    }

    private int step(JobView job, View view) {
        return criterion == Criterion.NETWORK_SENSITIVITY ? sensitivity(job, view) : 0;
    }

    private static boolean isMisplaced(JobView job, View view) {
        Allocation held = job.allocation();
        if (held == null || held.nodeCount() == 1) {
            return false;
        }
        int type = view.topology().typeOf(held.gpu(0));
        Shape tightest = view.topology().tightest(type, held.size());
        Speed best = SpeedModel.speedAlone(job.job(), view.topology(), type, held.size(), tightest);
        return job.speedMicro() < SATISFIED_SPEED_SHARE * best.micro();
    }

    /**
     * Compute time over time held, {@code W / (gpuTime / idealJct)}, in thousandths. W is the share of the work done,
     * idealJct the time of all of it without a network. 0 for a job that never ran, 1000 without any loss.
     */
    public static int sensitivity(JobView job, View view) {
        long held = job.attainedMillis(view.nowMillis());
        if (held == 0) {
            return 0;
        }
        int best = job.typesByPreference()[0];
        double ideal = held * SpeedModel.speedWithoutNetwork(job.job(), view.topology(), best);
        return (int) Math.min(STEPS, Math.round(STEPS * job.doneWorkMillis(view.nowMillis()) / ideal));
    }
}
