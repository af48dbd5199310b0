package dev.fermata.core.contract;

import org.jspecify.annotations.Nullable;

/**
 * Decides what to start and what to preempt. The same view gives the same plan; a policy never changes the view, reads no clock and draws no random
 * numbers. It may remember, but only what it derives from the views it was shown.
 */
public interface Policy {
    Plan decide(View view);

    /**
     * Work for later decisions that no order waits for. Every driver calls it once after each cycle, when the orders are out,
     * with the view as the cycle left it; it changes no more than what the policy remembers.
     */
    default void prepare(View view) {}

    /** Why this pending job is not running. Answered on demand, so that a decision costs nothing for it. */
    PendingReason explain(View view, JobView job);

    /** The order that it follows now, or null if its order never changes. */
    default @Nullable OrderChoice orderChoice() {
        return null;
    }

    /** What it remembers and no view shows again. */
    default PolicyMemory memory() {
        return PolicyMemory.NONE;
    }

    /** Continues from what another instance remembered, before the first decision. */
    default void restoreMemory(PolicyMemory memory) {}
}
