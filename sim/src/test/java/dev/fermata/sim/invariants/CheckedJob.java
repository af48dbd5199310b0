package dev.fermata.sim.invariants;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;

/** What the checker knows of one job, from records alone. */
final class CheckedJob {
    enum TrackedState {
        PENDING,
        LOADING,
        RUNNING,
        PREEMPTING,
        ENDED
    }

    private static final long STARVED_MILLIS = 3_600_000;

    Job job;
    final long submittedMillis;
    TrackedState state = TrackedState.PENDING;
    int attempt;
    long runningMillis;
    boolean onHold;
    int preemptions;
    boolean cancelled;
    Allocation held;
    Allocation reservation;

    CheckedJob(Job job, long submittedMillis) {
        this.job = job;
        this.submittedMillis = submittedMillis;
    }

    /** A trial, or a job that may have waited so long that it counts as one. */
    boolean mayBeUrgent(long now) {
        return job.jobClass() == JobClass.TRIAL || mayBeStarved(now);
    }

    /** No job counts as starved before it has waited for an hour. */
    boolean mayBeStarved(long now) {
        return now - submittedMillis >= STARVED_MILLIS;
    }
}
