package dev.fermata.core.measure;

/**
 * One time that a policy thought of pausing jobs for another, weighed it and let it be; and how long that other then waited.
 *
 * @param number of the line of the history that says so
 * @param victims how many it would have paused
 * @param startedMillis when the job then got GPUs; -1 when it has not, or never did
 * @param endedMillis when its wait ended: with its start, or without; -1 while it waits
 */
public record Declined(
        long number,
        long atMillis,
        long job,
        String name,
        int gpus,
        int victims,
        long expectedGainMillis,
        long expectedCostMillis,
        long startedMillis,
        long endedMillis) {
    /** How long it waited after that; -1 while it does. */
    public long waitedMillis() {
        return endedMillis < 0 ? -1 : endedMillis - atMillis;
    }
}
