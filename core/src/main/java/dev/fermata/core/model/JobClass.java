package dev.fermata.core.model;

/** A trial job is short and awaited: its start matters. Of a batch job the end matters. */
public enum JobClass {
    TRIAL,
    BATCH;

    public String label() {
        return this == TRIAL ? "trial" : "batch";
    }
}
