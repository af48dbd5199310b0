package dev.fermata.engine.local;

import dev.fermata.live.attempt.AttemptEnd;
import dev.fermata.live.attempt.TerminationRequest;
import dev.fermata.live.engine.Launch;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Observes the end of an attempt, and takes the GPUs of unkillable processes out of service. */
final class AttemptFinalizer {
    private final EngineServices services;
    private final Launch launch;
    private final AttemptProcesses processes;
    private final KernelMemoryKills kernelKills = new KernelMemoryKills();
    private boolean stuckDeclared;

    AttemptFinalizer(EngineServices services, Launch launch, AttemptProcesses processes) {
        this.services = services;
        this.launch = launch;
        this.processes = processes;
    }

    /** Takes GPUs out of service whose processes remain after every attempt to kill them. */
    synchronized void declareStuckGpus(ProcessReaper.ReapResult result) {
        if (!result.stuck().isEmpty() && !stuckDeclared) {
            stuckDeclared = true;
            Set<Integer> gpus = new HashSet<>();
            for (int i = 0; i < launch.allocation().size(); i++) {
                gpus.add(launch.allocation().gpu(i));
            }
            new StuckGpus(services, gpus, launch.jobId() + "." + launch.attempt()).declare(processes.reaper());
        }
    }

    /**
     * The end of an attempt that ran.
     *
     * @param exit of its shim
     * @param unknownEndMillis when it ended, where the shim left no exit record
     * @param cleanup what was cleaned up
     */
    AttemptEnd observe(
            AttemptEnd.ExitRecord exit,
            long unknownEndMillis,
            AttemptEnd.ExitRequest request,
            String cleanup,
            String cause) {
        long now = services.executor().nowMillis();
        return new AttemptEnd(
                true,
                exit,
                exit.code() == null
                        ? unknownEndMillis
                        : Math.min(now, processes.folder().exitMillis()),
                now,
                request,
                new AttemptEnd.MemoryKills(processes.group().outOfMemoryKills(), kernelKills.happened()),
                cleanup,
                cause);
    }

    /** The end of an attempt whose command never ran. */
    AttemptEnd unstarted(boolean failed, @Nullable TerminationRequest request, String cause) {
        return AttemptEnd.unstarted(failed, request, services.executor().nowMillis(), cause);
    }
}
