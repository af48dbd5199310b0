package dev.fermata.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.HashSet;
import java.util.Set;

/** Reports the end of an attempt, and takes the GPUs of unkillable processes out of service. */
final class AttemptFinalizer {
    private final EngineServices services;
    private final Launch launch;
    private final AttemptProcesses processes;
    private final long speedMicro;
    private final FailureDiagnosis diagnosis;
    private boolean stuckDeclared;

    AttemptFinalizer(EngineServices services, Launch launch, AttemptProcesses processes, long speedMicro) {
        this.services = services;
        this.launch = launch;
        this.processes = processes;
        this.speedMicro = speedMicro;
        this.diagnosis = new FailureDiagnosis(services.logs(), launch);
    }

    private static ExhaustedResource exhaustedResource(AttemptEnding ending) {
        return ending.outcome() == Outcome.OOM && ending.terminationRequest() != null
                ? ExhaustedResource.GPU_MEMORY
                : ending.exhaustedResource();
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

    String describe(AttemptEnding ending, long limitMillis, String reapSummary) {
        return ExitMessage.of(
                ending,
                launch,
                limitMillis,
                processes.group().outOfMemoryKills(),
                diagnosis.lastErrorLine(),
                reapSummary);
    }

    /** The same end with the cause of a failure, if its last output or the kernel shows it. */
    AttemptEnding diagnose(AttemptEnding ending) {
        return ending.outcome() != Outcome.FAILED
                ? ending
                : ending.withExhaustedResource(diagnosis.exhaustedResource(
                        ending.signal(), processes.group().outOfMemoryKills()));
    }

    /** The end as reported to the scheduler loop. */
    EngineEvent.StateChanged endEvent(
            AttemptEnding ending,
            long orderedMillis,
            long runEndMillis,
            AttemptPhases phases,
            GpuUsage gpuUsage,
            String detail) {
        Usage usage = ending.usage(
                orderedMillis,
                runEndMillis,
                System.currentTimeMillis(),
                launch.savedWorkMillis(),
                launch.spec().checkpoint().intervalMillis(),
                speedMicro);
        int signal = ending.signal();
        return new EngineEvent.StateChanged(
                new Event.AttemptEnded(launch.jobId(), launch.attempt(), ending.outcome(), usage),
                new EngineEvent.AttemptExit(
                        signal > 0 ? null : ending.code(),
                        signal,
                        detail,
                        exhaustedResource(ending),
                        ending.watched() || ending.code() == null ? -1 : runEndMillis),
                measurements(ending, orderedMillis, usage, phases)
                        .withGpu(gpuUsage.busyPermille(), gpuUsage.peakMib()));
    }

    private static AttemptMeasurements measurements(
            AttemptEnding ending, long orderedMillis, Usage usage, AttemptPhases phases) {
        AttemptFolder.TerminationRequest terminationRequest = ending.terminationRequest();
        Outcome outcome = ending.outcome();
        boolean began = ending.code() != null
                || ending.killed()
                || (terminationRequest != null && terminationRequest.signalHandled());
        boolean paused = terminationRequest != null
                && began
                && terminationRequest.cause() == AttemptFolder.TerminationCause.PREEMPTION
                && (outcome == Outcome.PREEMPTED || outcome == Outcome.LOST);
        return phases.toMeasurements(
                orderedMillis,
                usage.loadMillis(),
                terminationRequest == null ? -1 : terminationRequest.requestedMillis(),
                paused ? usage.preemptMillis() : -1,
                outcome == Outcome.PREEMPTED);
    }
}
