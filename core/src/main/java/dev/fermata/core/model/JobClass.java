package dev.fermata.core.model;

/** A trial job is short, watched, and wants to start now; a batch job wants to finish. */
public enum JobClass {
    TRIAL,
    BATCH;

    public String label() {
        return this == TRIAL ? "trial" : "batch";
    }
}
