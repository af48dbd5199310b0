package dev.fermata.core.model;

/** A job that must end before another may start. */
public record After(long jobId, Wanted wanted) {
    /** How it must end; otherwise the job that waits for it is cancelled. */
    public enum Wanted {
        SUCCESS,
        FAILURE,
        ANY;

        /** Whether it is what was wanted that the job succeeded, or did not. */
        public boolean isMetBy(boolean success) {
            return this == ANY || (this == SUCCESS) == success;
        }
    }
}
