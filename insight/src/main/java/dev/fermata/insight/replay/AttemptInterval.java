package dev.fermata.insight.replay;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;

/**
 * One attempt that held GPUs and has ended. The engine reports how it spent its time; the history has its begin and
 * end, so that the short time between a decision and its effect counts as loading.
 *
 * @param runningMillis when its process was reported as running, or -1; a script loads after that
 * @param preemptingMillis when its preemption for another job began, or -1
 * @param speedMicro mean speed while it ran, as the engine reported it; 0 when it reported none
 * @param reported what its script had reported by then
 */
record AttemptInterval(
        Allocation allocation,
        boolean resumed,
        long startedMillis,
        long runningMillis,
        long preemptingMillis,
        long endedMillis,
        long speedMicro,
        Outcome outcome,
        Usage usage,
        StepProgress reported) {

    long heldMillis() {
        return endedMillis - startedMillis;
    }

    /**
     * An attempt that was not preempted has no preemption time: the time until its processes were gone is part of its
     * loading.
     */
    long preemptMillis() {
        return preemptingMillis >= 0 ? endedMillis - preemptingMillis : 0;
    }

    /** Whether it was preempted for another job. */
    boolean wasPreempted() {
        return preemptingMillis >= 0 && (outcome == Outcome.PREEMPTED || outcome == Outcome.LOST);
    }

    /** How long it did work that was kept; one that ended while being preempted worked to its end. */
    long workedMillis() {
        return completedInstead() ? heldMillis() - loadMillis() : usage.usefulMillis();
    }

    /** Whether it completed its work while being preempted. */
    boolean completedInstead() {
        return preemptingMillis >= 0 && outcome == Outcome.COMPLETED;
    }

    long loadMillis() {
        return Math.max(0, heldMillis() - ranMillis() - preemptMillis());
    }

    /**
     * The part of its loading in which it counted as running already; negative where the end of loading was seen later.
     */
    long hiddenLoadMillis() {
        return runningMillis < 0 ? 0 : loadMillis() - (runningMillis - startedMillis);
    }

    /** Whether it ran; otherwise its times say nothing about other jobs. */
    boolean hasRun() {
        return outcome != Outcome.LOST || ranMillis() > 0;
    }

    long ranMillis() {
        return usage.runMillis();
    }
}
