package dev.fermata.core.contract;

/** Where a job is in its life. Preempted is an event and a counter, not a state. */
public enum JobState {
    PENDING(false),
    STARTING(false),
    RUNNING(false),
    PAUSING(false),
    COMPLETED(true),
    FAILED(true),
    CANCELLED(true),
    /** Stopped at its time limit. */
    TIMEOUT(true),
    OOM(true),
    UNSATISFIABLE(true);

    private final boolean last;

    JobState(boolean last) {
        this.last = last;
    }

    public boolean isFinal() {
        return last;
    }

    /** Whether an attempt is on GPUs in this state. */
    public boolean holdsGpus() {
        return this == STARTING || this == RUNNING || this == PAUSING;
    }
}
