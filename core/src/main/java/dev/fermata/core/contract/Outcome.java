package dev.fermata.core.contract;

/** How an attempt left its GPUs. */
public enum Outcome {
    COMPLETED,
    /** Checkpointed and gone on request. */
    PREEMPTED,
    /** Suspended in place: its processes go on in the next attempt. */
    SUSPENDED,
    FAILED,
    /** Stopped at its time limit. */
    TIMEOUT,
    /** Ran out of memory, of its GPUs or of its machine. */
    OOM,
    /** Its node or GPU died, or it was killed before it could save. */
    LOST,
    CANCELLED
}
