package dev.fermata.live.api;

import java.util.HashMap;
import java.util.Map;

/** The bytes of request bodies that are in memory: of each caller and of all. It refuses what would exceed them. */
final class BodyBudget {
    private final long perCaller;
    private final long inAll;
    private final Map<String, Long> held = new HashMap<>();
    private long sum;

    BodyBudget(long perCaller, long inAll) {
        this.perCaller = perCaller;
        this.inAll = inAll;
    }

    /** Reserves bytes; false, and nothing is reserved, when there is no room for them. */
    synchronized boolean reserve(String caller, long bytes) {
        long now = held.getOrDefault(caller, 0L) + bytes;
        if (now > perCaller || sum + bytes > inAll) {
            return false;
        }
        held.put(caller, now);
        sum += bytes;
        return true;
    }

    synchronized void release(String caller, long bytes) {
        sum -= bytes;
        held.computeIfPresent(caller, (name, before) -> before > bytes ? Long.valueOf(before - bytes) : null);
    }

    synchronized long sum() {
        return sum;
    }
}
