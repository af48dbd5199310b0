package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.live.health.HealthStatus;
import java.time.Instant;

/**
 * The cluster at one moment, in counts.
 *
 * @param seq number of the last history entry: nothing else has happened while it stays the same
 */
public record OverviewView(
        long seq, Instant at, @JsonUnwrapped DaemonState daemon, GpuCounts gpus, JobCounts jobs) {
    /** @param problem one sentence; empty for none */
    public record DaemonState(HealthStatus.DaemonPhase phase, String policy, boolean shadow, String problem) {}

    /**
     * Each GPU counts once, except that {@code busy} sums up running, loading and saving.
     *
     * @param loading of jobs that are being started
     * @param saving of jobs that are being preempted or ended
     */
    public record GpuCounts(
            int total,
            int busy,
            int running,
            int loading,
            int saving,
            @JsonUnwrapped IdleCounts idle) {}

    /**
     * GPUs without a job.
     *
     * @param reserved kept for a job
     * @param free a job may start there
     * @param drained on a drained node
     * @param down missing or failed
     */
    public record IdleCounts(int reserved, int free, int drained, int down) {}

    public record JobCounts(int pending, int running) {}
}
