package dev.fermata.sim.trace;

/** Why a readable record is not simulated as a job. */
public enum DropReason {
    NO_GPU("noGpu", "without a GPU"),
    NEVER_RAN("neverRan", "that never ran"),
    NOT_ENDED("notEnded", "without an end"),
    NO_TIME("noTime", "that ran for no time");

    private final String key;
    private final String label;

    DropReason(String key, String words) {
        this.key = key;
        this.label = words;
    }

    /** Its name in JSON. */
    public String key() {
        return key;
    }

    /** As written after a number. */
    public String label() {
        return label;
    }
}
