package dev.fermata.live.state;

import java.util.List;

/**
 * Unused GPUs on which no attempt can start.
 *
 * @param downGpus GPUs that are down, drained or not
 * @param drainedGpus GPUs that are up, on drained nodes
 * @param descriptions what is down and which nodes are drained, with the command that returns a node to service
 */
public record Outages(int downGpus, int drainedGpus, List<String> descriptions) {
    public Outages {
        descriptions = List.copyOf(descriptions);
    }
}
