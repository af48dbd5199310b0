package dev.fermata.insight.replay;

import dev.fermata.insight.input.ClusterInput;
import java.util.List;

/**
 * A recorded history and the cluster it happened on.
 *
 * @param name where it comes from, for titles
 * @param policy that decided, as it was written
 * @param endMillis the last moment it covers
 * @param remarks what a reader should know about it
 */
public record RecordedHistory(
        String name,
        ClusterInput cluster,
        String policy,
        List<RecordedEntry> entries,
        long endMillis,
        List<String> remarks) {
    /** Whether it has more than the cluster and its queues. */
    public boolean hasJobs() {
        return entries.stream().anyMatch(entry -> entry.record().jobId() >= 0);
    }
}
