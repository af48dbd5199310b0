package dev.fermata.app.replay;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;

/**
 * One attempt that held GPUs and has left them. What it did with its time is told by the engine; when it began and ended is told by
 * the history, so that the little time between a decision and its effect counts as loading.
 *
 * @param runningMillis when its process was told to run, or -1; a script loads after that
 * @param pausingMillis when it was asked to leave for another, or -1
 * @param paceMicro mean progress while it ran, as the engine told it; 0 when it told none
 * @param said what its script had said of itself by then
 */
record Stay(
        Allocation allocation,
        boolean resumed,
        long startedMillis,
        long runningMillis,
        long pausingMillis,
        long leftMillis,
        long paceMicro,
        Outcome outcome,
        Usage usage,
        Said said) {

    long heldMillis() {
        return leftMillis - startedMillis;
    }

    /** Of one that was not asked to leave nothing is a pause: what passed until its remains were gone is part of its loading. */
    long pauseMillis() {
        return pausingMillis >= 0 ? leftMillis - pausingMillis : 0;
    }

    /** Whether it left because it was asked to, for another. */
    boolean paused() {
        return pausingMillis >= 0 && (outcome == Outcome.PAUSED || outcome == Outcome.LOST);
    }

    /** How long it did work that was kept; one that ended when it was asked to leave worked to its end. */
    long workedMillis() {
        return endedInstead() ? heldMillis() - loadMillis() : usage.usefulMillis();
    }

    /** Whether it was asked to leave, and had done its work before it could. */
    boolean endedInstead() {
        return pausingMillis >= 0 && outcome == Outcome.COMPLETED;
    }

    long loadMillis() {
        return Math.max(0, heldMillis() - ranMillis() - pauseMillis());
    }

    /** The part of its loading in which it counted as running already; negative where that it had loaded was seen so much later. */
    long unseenLoadMillis() {
        return runningMillis < 0 ? 0 : loadMillis() - (runningMillis - startedMillis);
    }

    /** Whether it got as far as to run: else its times say nothing about others. */
    boolean began() {
        return outcome != Outcome.LOST || ranMillis() > 0;
    }

    long ranMillis() {
        return usage.ranMillis();
    }
}
