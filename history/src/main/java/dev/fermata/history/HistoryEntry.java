package dev.fermata.history;

/**
 * One entry of the history.
 *
 * @param seq 1, 2, 3 … without gaps, assigned by the scheduler loop
 * @param jobId -1 for entries about the cluster
 * @param actor the cause: a user name, {@code policy}, {@code engine} or {@code daemon}
 * @param type the type of the record, such as {@code Started}
 * @param body the record as JSON, sufficient to restore it
 */
public record HistoryEntry(long seq, long atMillis, long jobId, int attempt, String actor, String type, String body) {}
