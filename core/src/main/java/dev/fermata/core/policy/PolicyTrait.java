package dev.fermata.core.policy;

/** What a reader of a table should know about a policy before comparing it with another. */
public enum PolicyTrait {
    PREEMPTIVE("pauses jobs for others"),
    NEEDS_ESTIMATES("decides on remaining-time estimates; clairvoyant with the oracle estimator"),
    COST_AWARE("pauses a job only where that gains more than it costs"),
    LEARNS("learns from jobs that ended"),
    MIGRATES("moves running jobs"),
    CONSOLIDATES("waits rather than spread a job"),
    SPLITS_WORK("gives one job GPUs of several types, each its share of the work"),

    // these follow from the parameters; see PolicySpec#has
    SHARES("may start a job on GPUs that others use"),
    DECLINES("may leave GPUs free that a job could use, for closer or faster ones"),
    RESERVES("may keep GPUs free for the first in line"),
    TRIALS_FIRST("batch jobs wait in one queue, trial jobs do not"),
    HURRIES("a trial takes the place of a job that leaves at least cost although other GPUs are being vacated");

    private final String meaning;

    PolicyTrait(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }
}
