package dev.fermata.core.contract;

/**
 * The state of a job. Preempted is an event and a counter, not a state. What users see of a suspension are states of their own:
 * to the scheduler such a job is preempting, pending or starting.
 */
public enum JobState {
    PENDING(false),
    STARTING(false),
    RUNNING(false),
    PREEMPTING(false),
    SUSPENDING(false),
    SUSPENDED(false),
    RESUMING(false),
    COMPLETED(true),
    FAILED(true),
    CANCELLED(true),
    /** Stopped at its time limit. */
    TIMEOUT(true),
    OOM(true),
    UNSATISFIABLE(true);

    private final boolean terminal;

    JobState(boolean last) {
        this.terminal = last;
    }

    public boolean isFinal() {
        return terminal;
    }

    /** Whether an attempt is on GPUs in this state. */
    public boolean holdsGpus() {
        return this == STARTING || this == RUNNING || this == PREEMPTING || this == SUSPENDING || this == RESUMING;
    }
}
