package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Speed;
import dev.fermata.core.policy.ranking.Rank;

/**
 * Least remaining work first (SJF without preemption, SRTF with it), or least remaining work times GPUs (SRSF).
 *
 * <p>Work is time on the reference GPU, for waiting and running jobs alike: if a slow place made a running job rank lower
 * than it would while waiting, it would return as soon as it was preempted. The rank of a running job sinks by itself with
 * its speed, rounded up to sixteenths so that few slopes are in use: rounding only makes a preemption harder.
 */
public final class ShortestOrder implements JobOrder {
    static final long UNIT = 16;
    /** A rank is redone when rounding has put it off by this share of what remains. */
    private static final double TOLERANCE = 0.05;

    private static final long MIN_RECOMPUTE_MILLIS = 1000;

    /** Weights between time and service are counted in eighths. */
    static final long WEIGHT_RESOLUTION = 8;

    private final boolean byService;

    /** By remaining work, or with {@code byService} by remaining work times GPUs. */
    public ShortestOrder(boolean byService) {
        this.byService = byService;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(JobOrder.priorityLevel(job), view.remainingMillis(job) * UNIT * weight(job));
    }

    @Override
    public Rank running(JobView job, View view) {
        return decreasingRank(JobOrder.priorityLevel(job), view.remainingMillis(job), weight(job), job, view);
    }

    /** The rank of a running job of which so much remains now. */
    static Rank decreasingRank(int level, long remaining, long weight, JobView job, View view) {
        long now = view.nowMillis();
        long slope = (job.speedMicro() * UNIT + Speed.UNIT - 1) / Speed.UNIT;
        double drift = (double) slope / UNIT - (double) job.speedMicro() / Speed.UNIT;
        long recomputeAt = drift < 1e-9
                ? Plan.NEVER
                : now + Math.max(MIN_RECOMPUTE_MILLIS, (long) Math.min(1e15, TOLERANCE * (double) remaining / drift));
        RuntimeEstimate estimate = view.runtimeEstimate(job);
        if (estimate != null) { // the older it is the longer it may take: it must not sink to nothing
            recomputeAt = Math.min(recomputeAt, JobOrder.estimateExpiresMillis(job, view, estimate));
        }
        return new Rank(level, (remaining * UNIT + slope * now) * weight, -slope * weight, recomputeAt);
    }

    private long weight(JobView job) {
        return byService ? job.gpus() : 1;
    }

    /**
     * How many times the work of a job counts, in eighths: its GPUs to the power of {@code exponent}. Below 0 the GPUs count as
     * parts of the cluster, so that no weight is rounded to nothing. They are then those of its full size, whatever it
     * holds: else a job that runs on fewer would rank higher as soon as it is preempted, and preempt right back.
     */
    static long weight(JobView job, double exponent, int clusterGpus) {
        double gpus = exponent < 0 ? (double) job.job().demand().maxGpus() / clusterGpus : job.gpus();
        return Math.max(1, Math.round(WEIGHT_RESOLUTION * StrictMath.pow(gpus, exponent)));
    }
}
