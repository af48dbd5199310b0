package dev.fermata.live.api.view;

import dev.fermata.live.conductor.Pulse;
import java.util.List;

/** How the daemon is. {@code trouble} is empty when all is well. */
public record DiagView(
        long pid,
        String version,
        String engine,
        String store,
        String policy,
        Pulse.Phase phase,
        double cycleAgeSeconds,
        long cycles,
        long lastSeq,
        int inbox,
        int pendingJobs,
        int runningJobs,
        double restartSeconds,
        boolean shadow,
        String trouble,
        double uptimeSeconds,
        long heapMib,
        long heapMaxMib,
        int streams,
        List<String> remarks) {}
