package dev.fermata.live.store;

/**
 * One line of the history.
 *
 * @param seq 1, 2, 3 … without gaps, given by the conductor
 * @param jobId -1 for what concerns no job
 * @param actor who caused it: a user's name, {@code policy}, {@code engine} or {@code daemon}
 * @param kind the name of the fact, such as {@code Started}
 * @param body the fact as JSON, enough to rebuild it
 */
public record Line(long seq, long atMillis, long jobId, int attempt, String actor, String kind, String body) {}
