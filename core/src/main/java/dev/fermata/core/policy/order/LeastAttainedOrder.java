package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.ranking.Rank;

/**
 * Tiresias' two-dimensional least attained service, discretised: a job sinks from queue to queue as its GPU-time passes
 * the thresholds. No job is preempted for another of the same queue; waiting jobs go in order of arrival. With the
 * starvation parameter a job that has waited {@code starvation} times as long as it ran returns to the first queue, its
 * service reset.
 *
 * <p>Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019.
 */
public final class LeastAttainedOrder implements JobOrder {
    /** Before any time of arrival. */
    private static final long RUNNING_FIRST = Long.MIN_VALUE / 4;

    private final long[] thresholdsGpuMillis;
    private final double starvation;
    private final LongMap<Long> forgivenGpuMillis = new LongMap<>();

    public LeastAttainedOrder(long[] thresholdsGpuMillis, double starvation) {
        this.thresholdsGpuMillis = thresholdsGpuMillis.clone();
        this.starvation = starvation;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        int queue = queueOf(serviceSinceReset(job, view));
        long recomputeAt = Plan.NEVER;
        if (queue > 0 && starvation > 0 && job.state() == JobState.PENDING) {
            long starvedAt = job.queuedMillis() + (long) Math.ceil(job.attainedMillis(view.nowMillis()) * starvation);
            if (starvedAt <= view.nowMillis()) {
                queue = 0;
                forgivenGpuMillis.put(job.id(), job.attainedGpuMillis(view.nowMillis()));
            } else {
                recomputeAt = starvedAt;
            }
        }
        return rank(job, queue, recomputeAt);
    }

    @Override
    public Rank running(JobView job, View view) {
        long attained = serviceSinceReset(job, view);
        int queue = queueOf(attained);
        long recomputeAt = Plan.NEVER;
        if (queue < thresholdsGpuMillis.length) {
            long missing = thresholdsGpuMillis[queue] - attained;
            recomputeAt = view.nowMillis() + (missing + job.gpus() - 1) / job.gpus();
        }
        return rank(job, queue, recomputeAt);
    }

    /** Inside a queue running jobs stay, first come first; then order of arrival. */
    private Rank rank(JobView job, int queue, long recomputeAt) {
        int level = JobOrder.priorityLevel(job) * (thresholdsGpuMillis.length + 1) + queue;
        boolean runs = job.state() == JobState.RUNNING;
        return new Rank(level, runs ? RUNNING_FIRST + job.startedMillis() : job.fifoKeyMillis(), 0, recomputeAt);
    }

    /** Service since it was last reset for starvation; else it would be preempted again as soon as it runs. */
    private long serviceSinceReset(JobView job, View view) {
        Long before = forgivenGpuMillis.get(job.id());
        return job.attainedGpuMillis(view.nowMillis()) - (before == null ? 0 : before);
    }

    @Override
    public boolean observeEnd(JobView job, View view) {
        forgivenGpuMillis.remove(job.id());
        return false;
    }

    private int queueOf(long attained) {
        int queue = 0;
        while (queue < thresholdsGpuMillis.length && attained >= thresholdsGpuMillis[queue]) {
            queue++;
        }
        return queue;
    }
}
