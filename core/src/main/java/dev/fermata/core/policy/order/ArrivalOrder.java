package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.queue.Rank;

/** First come, first served. Running jobs rank by expected end, which is what a reservation needs to know. */
public final class ArrivalOrder implements Order {
    private final boolean rankRunning;

    /** @param rankRunning keep running jobs in order of their expected ends, for reservations */
    public ArrivalOrder(boolean rankRunning) {
        this.rankRunning = rankRunning;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(Order.level(job), job.ticketMillis());
    }

    @Override
    public Rank running(JobView job, View view) {
        if (!rankRunning) {
            return Rank.fixed(0, 0);
        }
        long end = Order.expectedEndMillis(job, view);
        return new Rank(0, end, 0, end + 1);
    }

    @Override
    public boolean ranksStarting() {
        return rankRunning;
    }
}
