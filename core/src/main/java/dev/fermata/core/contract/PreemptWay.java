package dev.fermata.core.contract;

/** How a job is preempted. */
public enum PreemptWay {
    /** It saves and leaves within its grace period, and may restart anywhere. What it did not save is lost. */
    CHECKPOINT,
    /** It is suspended in place: it loses nothing, holds host memory of its nodes, and resumes there. */
    SUSPEND
}
