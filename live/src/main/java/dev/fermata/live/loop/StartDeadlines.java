package dev.fermata.live.loop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Until when the engine must confirm each start. The time in which the engine cannot be reached does not count. It reads no
 * clock.
 */
final class StartDeadlines {
    /** An attempt of a job. */
    record AttemptKey(long jobId, int attempt) {}

    private long timeoutMillis;
    private final Map<AttemptKey, Long> deadlines = new LinkedHashMap<>();

    StartDeadlines(long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** Changes the time that each later start has. */
    void allow(long millis) {
        timeoutMillis = millis;
    }

    long timeoutMillis() {
        return timeoutMillis;
    }

    void begin(long jobId, int attempt, long nowMillis) {
        deadlines.put(new AttemptKey(jobId, attempt), nowMillis + timeoutMillis);
    }

    /** The attempt has started, or ended. */
    void end(long jobId, int attempt) {
        deadlines.remove(new AttemptKey(jobId, attempt));
    }

    /** The engine can be reached again: every start gets its whole time. */
    void restart(long nowMillis) {
        deadlines.replaceAll((attempt, until) -> nowMillis + timeoutMillis);
    }

    /** The attempts whose time is over; they have no deadline any more. */
    List<AttemptKey> takeExpired(long nowMillis) {
        List<AttemptKey> expired = new ArrayList<>();
        deadlines.forEach((attempt, until) -> {
            if (until <= nowMillis) {
                expired.add(attempt);
            }
        });
        expired.forEach(deadlines::remove);
        return expired;
    }

    long nextMillis() {
        long next = Long.MAX_VALUE;
        for (long until : deadlines.values()) {
            next = Math.min(next, until);
        }
        return next;
    }
}
