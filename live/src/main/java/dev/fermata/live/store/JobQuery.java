package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.util.Set;

/**
 * Selects jobs.
 *
 * @param states empty for all
 * @param user empty for all
 * @param queue this queue and those below it; empty for all
 * @param name part of the name; empty for all
 * @param arrayId -1 for all
 * @param beforeId only ids below this one: the cursor
 */
public record JobQuery(
        Set<JobState> states, String user, String queue, String name, long arrayId, long beforeId, int limit) {
    public JobQuery {
        states = Set.copyOf(states);
    }
}
