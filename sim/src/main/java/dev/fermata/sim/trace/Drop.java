package dev.fermata.sim.trace;

/** Why a record that can be read is no job to simulate. */
public enum Drop {
    NO_GPU("noGpu", "without a GPU"),
    NEVER_RAN("neverRan", "that never ran"),
    NOT_ENDED("notEnded", "without an end"),
    NO_TIME("noTime", "that ran for no time");

    private final String key;
    private final String words;

    Drop(String key, String words) {
        this.key = key;
        this.words = words;
    }

    /** Its name in JSON. */
    public String key() {
        return key;
    }

    /** To stand after a number. */
    public String words() {
        return words;
    }
}
