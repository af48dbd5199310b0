package dev.fermata.insight.replay;

import dev.fermata.history.ObservedJob;
import dev.fermata.insight.input.ClusterInput;
import java.util.List;

/**
 * A recorded history and the cluster it happened on.
 *
 * @param name where it comes from, for titles
 * @param policy that decided, as it was written
 * @param endMillis the last moment it covers
 * @param remarks what a reader should know about it
 * @param observed what was seen of jobs of another scheduler, in shadow mode
 */
public record RecordedHistory(
        String name,
        ClusterInput cluster,
        String policy,
        List<RecordedEntry> entries,
        long endMillis,
        List<String> remarks,
        List<Observation> observed) {
    /**
     * @param shadow the job here that stands for it, -1 for none
     */
    public record Observation(long atMillis, long shadow, ObservedJob job) {}

    /** Whether it has more than the cluster and its queues. */
    public boolean hasJobs() {
        return entries.stream().anyMatch(entry -> entry.record().jobId() >= 0);
    }
}
