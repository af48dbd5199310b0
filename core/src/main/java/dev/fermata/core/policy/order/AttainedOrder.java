package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.queue.Rank;

/**
 * Tiresias' two-dimensional least attained service, discretised: a job sinks from queue to queue as its GPU-time passes
 * the thresholds. Nobody is paused for a job of the same queue; those who wait go in order of arrival. With the starvation knob a job that has waited {@code starvation}
 * times as long as it ran goes back to the first queue, its service forgiven.
 *
 * <p>Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019.
 */
public final class AttainedOrder implements Order {
    /** Before any time of arrival. */
    private static final long RUNS = Long.MIN_VALUE / 4;

    private final long[] thresholdsGpuMillis;
    private final double starvation;
    private final LongMap<Long> forgiven = new LongMap<>();

    public AttainedOrder(long[] thresholdsGpuMillis, double starvation) {
        this.thresholdsGpuMillis = thresholdsGpuMillis.clone();
        this.starvation = starvation;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        int queue = queueOf(served(job, view));
        long rekeyAt = Plan.NEVER;
        if (queue > 0 && starvation > 0 && job.state() == JobState.PENDING) {
            long starvedAt = job.queuedMillis() + (long) Math.ceil(job.attainedMillis(view.nowMillis()) * starvation);
            if (starvedAt <= view.nowMillis()) {
                queue = 0;
                forgiven.put(job.id(), job.attainedGpuMillis(view.nowMillis()));
            } else {
                rekeyAt = starvedAt;
            }
        }
        return rank(job, queue, rekeyAt);
    }

    @Override
    public Rank running(JobView job, View view) {
        long attained = served(job, view);
        int queue = queueOf(attained);
        long rekeyAt = Plan.NEVER;
        if (queue < thresholdsGpuMillis.length) {
            long missing = thresholdsGpuMillis[queue] - attained;
            rekeyAt = view.nowMillis() + (missing + job.gpus() - 1) / job.gpus();
        }
        return rank(job, queue, rekeyAt);
    }

    /** Inside a queue whoever runs stays, those who came to it first above all; then order of arrival. */
    private Rank rank(JobView job, int queue, long rekeyAt) {
        int level = Order.level(job) * (thresholdsGpuMillis.length + 1) + queue;
        boolean runs = job.state() == JobState.RUNNING;
        return new Rank(level, runs ? RUNS + job.startedMillis() : job.ticketMillis(), 0, rekeyAt);
    }

    /** Service since it was last taken back for starving; else it would be paused again the moment it runs. */
    private long served(JobView job, View view) {
        Long before = forgiven.get(job.id());
        return job.attainedGpuMillis(view.nowMillis()) - (before == null ? 0 : before);
    }

    @Override
    public boolean ended(JobView job, View view) {
        forgiven.remove(job.id());
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
