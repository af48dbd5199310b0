package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.Rank;

/** First come, first served. Running jobs rank by expected end, which is what a reservation needs to know. */
public final class ArrivalOrder implements JobOrder {
    private final boolean rankRunning;

    /** @param rankRunning keep running jobs in order of their expected ends, for reservations */
    public ArrivalOrder(boolean rankRunning) {
        this.rankRunning = rankRunning;
    }

    @Override
    public Rank waiting(JobView job, View view) {
        return Rank.fixed(JobOrder.priorityLevel(job), job.fifoKeyMillis());
    }

    @Override
    public Rank running(JobView job, View view) {
        if (!rankRunning) {
            return Rank.fixed(0, 0);
        }
        long end = JobOrder.predictedEndMillis(job, view);
        return new Rank(0, end, 0, end + 1);
    }

    @Override
    public boolean ranksStarting() {
        return rankRunning;
    }
}
