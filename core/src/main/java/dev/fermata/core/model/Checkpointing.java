package dev.fermata.core.model;

/** Whether a job keeps its work when it is preempted. Periodic checkpoints are another matter. */
public enum Checkpointing {
    /** It writes a checkpoint when it is preempted, if its grace period is long enough. */
    ON_PREEMPTION,
    /** It is taken to write one, though it was never seen. Where it can be suspended in place, it is not put to the test. */
    ASSUMED,
    /** It writes none, however long it gets. */
    NONE
}
