package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Pace;
import dev.fermata.core.policy.queue.Rank;

/**
 * Least remaining work first (SJF when nobody is preempted, SRTF when they are), or least remaining work times GPUs (SRSF).
 *
 * <p>Work is time on the reference GPU, for those who wait and those who run alike: if a slow place made a running job
 * rank lower than it would while waiting, it would come back the moment it was paused. The rank of a running job sinks by
 * itself with its pace, rounded up to sixteenths so that few slopes are in use: rounding can only make it harder to pause.
 */
public final class ShortestOrder implements Order {
    static final long UNIT = 16;
    /** A rank is redone when rounding has put it off by this share of what remains. */
    private static final double TOLERANCE = 0.05;

    private static final long MIN_REDO_MILLIS = 1000;

    /** Weights between those of time and service are counted in eighths. */
    static final long FINE = 8;

    private final double exponent;

    /** By remaining work, or with {@code byService} by remaining work times GPUs. */
    public ShortestOrder(boolean byService) {
        this(byService ? 1 : 0);
    }

    /** By remaining work times GPUs to the power of {@code exponent}. */
    ShortestOrder(double exponent) {
        this.exponent = exponent;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(Order.level(job), view.remainingMillis(job) * UNIT * weight(job));
    }

    @Override
    public Rank running(JobView job, View view) {
        return sinking(Order.level(job), view.remainingMillis(job), weight(job), job, view);
    }

    /** The rank of a running job of which so much remains now. */
    static Rank sinking(int level, long remaining, long weight, JobView job, View view) {
        long now = view.nowMillis();
        long slope = (job.paceMicro() * UNIT + Pace.UNIT - 1) / Pace.UNIT;
        double drift = (double) slope / UNIT - (double) job.paceMicro() / Pace.UNIT;
        long redo = drift < 1e-9
                ? Plan.NEVER
                : now + Math.max(MIN_REDO_MILLIS, (long) Math.min(1e15, TOLERANCE * (double) remaining / drift));
        Outlook outlook = view.outlook(job);
        if (outlook != null) { // the older it is the longer it may take: it must not sink to nothing
            redo = Math.min(redo, Order.outlookEndMillis(job, view, outlook));
        }
        return new Rank(level, (remaining * UNIT + slope * now) * weight, -slope * weight, redo);
    }

    long weight(JobView job) {
        if (exponent == 0) {
            return 1;
        }
        return exponent == 1 ? job.gpus() : Math.round(FINE * StrictMath.pow(job.gpus(), exponent));
    }
}
