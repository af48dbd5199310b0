package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.queue.Rank;
import org.jspecify.annotations.Nullable;

/**
 * Least remaining time first (SJF when nobody is preempted, SRTF when they are), or least remaining GPU-time (SRSF).
 * The rank of a running job sinks with time by itself: remaining = end - now; when it has run out the book asks anew.
 */
public final class ShortestOrder implements Order {
    private final boolean byService;

    public ShortestOrder(boolean byService) {
        this.byService = byService;
    }

    @Override
    public Rank waiting(JobView job, View view, @Nullable Rank previous) {
        return Rank.fixed(Order.level(job), view.remainingMillis(job) * weight(job));
    }

    @Override
    public Rank running(JobView job, View view, @Nullable Rank previous) {
        long end = Order.expectedEndMillis(job, view);
        long weight = weight(job);
        return new Rank(Order.level(job), end * weight, -weight, Plan.NEVER);
    }

    private long weight(JobView job) {
        return byService ? job.gpus() : 1;
    }
}
