package dev.fermata.core.cycle;

/** How much the ring distrusts the policy. */
public enum GuardMode {
    /** Trust the policy. Only for measuring what the guard costs. */
    OFF,
    /** Check every action against the laws before it is committed. */
    PLAN,
    /** Also recount the whole ledger after every step. */
    FULL
}
