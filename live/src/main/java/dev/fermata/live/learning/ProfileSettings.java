package dev.fermata.live.learning;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.SuspendCosts;

/**
 * Assumptions about jobs that are not profiled.
 *
 * @param assumedCosts costs of preempting and loading a job before any measurement
 * @param waitMillis how long jobs wait for the profiling run of their profile key; 0 when no job waits
 */
public record ProfileSettings(Costs assumedCosts, long waitMillis) {
    /** The same on an engine that can suspend jobs at this price, or cannot. */
    public ProfileSettings withSuspend(SuspendCosts suspend) {
        return new ProfileSettings(assumedCosts.withSuspend(suspend), waitMillis);
    }
}
