package dev.fermata.live.store;

import java.util.Set;

/**
 * Selects history entries. They come after this seq, from this time on, of this job (-1 for all), of this user's jobs
 * and of these types (empty for all).
 */
public record HistoryQuery(long afterSeq, long sinceMillis, long jobId, String user, Set<String> types, int limit) {
    public HistoryQuery {
        types = Set.copyOf(types);
    }
}
