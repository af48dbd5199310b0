package dev.fermata.core.contract;

/**
 * Decides what to start and what to preempt. The same view gives the same plan; a policy never changes the view, reads no clock and draws no random
 * numbers. It may remember, but only what it derives from the views it was shown.
 */
public interface Policy {
    Plan decide(View view);

    /** Why this pending job is not running. Answered on demand, so that a decision costs nothing for it. */
    PendingReason explain(View view, JobView job);

    /** What it remembers and no view shows again. */
    default PolicyMemory memory() {
        return PolicyMemory.NONE;
    }

    /** Continues from what another instance remembered, before the first decision. */
    default void restoreMemory(PolicyMemory memory) {}
}
