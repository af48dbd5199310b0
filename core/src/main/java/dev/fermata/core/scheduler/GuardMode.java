package dev.fermata.core.scheduler;

/** How strictly the scheduler checks the policy. */
public enum GuardMode {
    /** Trust the policy. Only for measuring what the guard costs. */
    OFF,
    /** Check every action against the scheduling rules before it is committed. */
    PLAN,
    /** Also recount the whole cluster state after every cycle. */
    FULL
}
