package dev.fermata.live.attempt;

/** Why an attempt must exit. Never an engine's own decision. */
public enum TerminationCause {
    PREEMPTION,
    KILL,
    TIME_LIMIT,
    /** It used GPU memory reserved for other jobs. */
    MEMORY_OVERUSE
}
