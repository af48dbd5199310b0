package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.live.health.HealthStatus;
import java.util.List;

/**
 * The health of the daemon, one flat JSON object.
 *
 * @param problem empty when there is none
 */
public record DiagView(
        @JsonUnwrapped DaemonView daemon,
        @JsonUnwrapped SchedulerLoopView loop,
        boolean shadow,
        String problem,
        @JsonUnwrapped DaemonLoadView load,
        List<String> notices) {
    /** Which daemon this is. */
    public record DaemonView(long pid, String version, String engine, String store, String policy) {}

    /** How far the scheduler loop is. */
    public record SchedulerLoopView(
            HealthStatus.DaemonPhase phase,
            double cycleAgeSeconds,
            long cycles,
            long lastSeq,
            int queuedRequests,
            int pendingJobs,
            int runningJobs,
            double recoverySeconds) {}

    /** What the process uses. */
    public record DaemonLoadView(double uptimeSeconds, long heapMib, long heapMaxMib, int streams) {}
}
