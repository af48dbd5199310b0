package dev.fermata.core.policy;

/** What a reader of a table should know about a policy before comparing it with another. */
public enum Trait {
    PREEMPTIVE("pauses jobs for others"),
    NEEDS_ESTIMATES("decides on remaining-time estimates; clairvoyant with the oracle estimator"),
    WEIGHS("pauses a job only where that gains more than it costs"),
    LEARNS("learns from jobs that ended"),
    MIGRATES("moves running jobs"),
    CONSOLIDATES("waits rather than spread a job"),
    SPLITS_WORK("gives one job GPUs of several types, each its share of the work");

    private final String meaning;

    Trait(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }
}
