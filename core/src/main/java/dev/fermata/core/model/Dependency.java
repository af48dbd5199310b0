package dev.fermata.core.model;

/** A job that must end before another may start. */
public record Dependency(long jobId, Condition condition) {
    /** How it must end; otherwise the job that waits for it is cancelled. */
    public enum Condition {
        SUCCESS,
        FAILURE,
        ANY;

        /** Whether an end of the dependency, with success or without, meets the condition. */
        public boolean isMetBy(boolean success) {
            return this == ANY || (this == SUCCESS) == success;
        }
    }
}
