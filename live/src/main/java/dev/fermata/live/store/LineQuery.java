package dev.fermata.live.store;

import java.util.Set;

/**
 * Which lines: after this seq, from this time on, of this job (-1 for all) and this user's jobs (empty for all), of these kinds
 * (empty for all).
 */
public record LineQuery(long afterSeq, long sinceMillis, long jobId, String user, Set<String> kinds, int limit) {
    public LineQuery {
        kinds = Set.copyOf(kinds);
    }
}
