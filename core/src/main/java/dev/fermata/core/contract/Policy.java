package dev.fermata.core.contract;

/**
 * Decides. The same view gives the same plan; a policy never changes the view, reads no clock and draws no random
 * numbers. It may remember, but only what it derives from the views it was shown.
 */
public interface Policy {
    Plan decide(View view);

    /** Why this pending job is not running, answered on demand so that deciding costs nothing for jobs nobody asks about. */
    Verdict explain(View view, JobView job);

    /** What it remembers and no view will ever show again, in one number: for another of its kind that is to go on from here. */
    default long past() {
        return 0;
    }

    /** Goes on from what another remembered, before it decides anything. */
    default void goOnFrom(long past) {}
}
