package dev.fermata.sim.invariants;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;

/** What the checker knows of one job, from records alone. */
final class CheckedJob {
    enum TrackedState {
        PENDING,
        LOADING,
        RUNNING,
        PREEMPTING,
        ENDED
    }

    final long submittedMillis;
    Job job;
    TrackedState state = TrackedState.PENDING;
    int attempt;
    long runningMillis;
    boolean onHold;
    int preemptions;
    boolean cancelled;
    boolean failedStart;
    /** The GPUs that its suspended processes left; null for none. */
    Allocation suspendedOn;

    Allocation held;
    Allocation reservation;

    CheckedJob(Job job, long submittedMillis) {
        this.job = job;
        this.submittedMillis = submittedMillis;
    }
}
