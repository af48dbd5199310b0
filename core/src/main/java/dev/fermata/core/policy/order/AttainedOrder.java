package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.queue.Rank;
import org.jspecify.annotations.Nullable;

/**
 * Tiresias' two-dimensional least attained service, discretised: a job sinks from queue to queue as its GPU-time passes
 * the thresholds; inside a queue, first in first out. With the starvation knob a job that has waited {@code starvation}
 * times as long as it ran goes back to the first queue.
 *
 * <p>Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019.
 */
public final class AttainedOrder implements Order {
    private final long[] thresholdsGpuMillis;
    private final double starvation;

    public AttainedOrder(long[] thresholdsGpuMillis, double starvation) {
        this.thresholdsGpuMillis = thresholdsGpuMillis.clone();
        this.starvation = starvation;
    }

    @Override
    public Rank waiting(JobView job, View view, @Nullable Rank previous) {
        int queue = queueOf(job.attainedGpuMillis(view.nowMillis()));
        long rekeyAt = Plan.NEVER;
        if (queue > 0 && starvation > 0 && job.state() == JobState.PENDING) {
            long starvedAt = job.queuedMillis()
                    + (long) Math.ceil(job.attainedMillis(view.nowMillis()) * starvation);
            if (starvedAt <= view.nowMillis()) {
                queue = 0;
            } else {
                rekeyAt = starvedAt;
            }
        }
        return rank(job, view, previous, queue, rekeyAt);
    }

    @Override
    public Rank running(JobView job, View view, @Nullable Rank previous) {
        long attained = job.attainedGpuMillis(view.nowMillis());
        int queue = queueOf(attained);
        long rekeyAt = Plan.NEVER;
        if (queue < thresholdsGpuMillis.length) {
            long missing = thresholdsGpuMillis[queue] - attained;
            rekeyAt = view.nowMillis() + (missing + job.gpus() - 1) / job.gpus();
        }
        return rank(job, view, previous, queue, rekeyAt);
    }

    private Rank rank(JobView job, View view, @Nullable Rank previous, int queue, long rekeyAt) {
        int level = Order.level(job) * (thresholdsGpuMillis.length + 1) + queue;
        long since = previous == null
                ? job.ticketMillis()
                : previous.level() == level ? previous.base() : view.nowMillis();
        return new Rank(level, since, 0, rekeyAt);
    }

    private int queueOf(long attained) {
        int queue = 0;
        while (queue < thresholdsGpuMillis.length && attained >= thresholdsGpuMillis[queue]) {
            queue++;
        }
        return queue;
    }
}
