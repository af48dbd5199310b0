package dev.fermata.live.attempt;

import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;

/** One sentence for users about how an attempt ended. */
final class ExitMessage {
    private ExitMessage() {}

    /**
     * @param limitMillis its time limit, which may have changed since it was launched
     * @param lastErrorLine the last line it wrote to standard error
     */
    static String of(AttemptEnding ending, Launch launch, long limitMillis, AttemptEnd end, String lastErrorLine) {
        List<String> parts = new ArrayList<>();
        Outcome outcome = ending.outcome();
        if (outcome == Outcome.FAILED) {
            parts.add(describeFailure(ending));
            parts.add(lastErrorLine);
        } else if (outcome == Outcome.OOM) {
            parts.add(describeExhaustion(ending, launch, end.memoryKills().ofAttempt()));
            parts.add(lastErrorLine);
        } else if (outcome == Outcome.TIMEOUT) {
            parts.add("stopped at its time limit of " + limitMillis / 1000 + " s");
        } else if (outcome == Outcome.LOST) {
            parts.add(describeLoss(ending, launch.spec()));
        }
        if (!ending.killed()) {
            parts.add(end.cleanup());
        }
        parts.removeIf(String::isEmpty);
        return String.join("; ", parts);
    }

    private static String describeExhaustion(AttemptEnding ending, Launch launch, long outOfMemory) {
        if (ending.terminationRequest() != null) {
            return "it held more than the " + launch.gpuMemoryReservationMib()
                    + " MiB of a shared GPU that were reserved for it";
        }
        if (outOfMemory > 0) {
            return "the kernel killed it because it used more than its " + launch.memoryMib() + " MiB of memory";
        }
        return ending.exhaustedResource() == ExhaustedResource.GPU_MEMORY
                ? "its GPU was out of memory"
                : "the machine had no memory left for it";
    }

    private static String describeFailure(AttemptEnding ending) {
        if (ending.code() == null) {
            return "the process that supervises it was killed";
        }
        if (ending.signal() == 9) {
            return "ended by KILL, which Fermata did not send: perhaps the machine is out of memory";
        }
        return ending.signal() > 0 ? "ended by the signal " + SignalNames.of(ending.signal()) : "";
    }

    private static String describeLoss(AttemptEnding ending, JobSpec spec) {
        TerminationRequest terminationRequest = ending.terminationRequest();
        if (terminationRequest == null) {
            return "it ended while no daemon was running; its exit code is unknown";
        }
        if (ending.killed()) {
            long grace = terminationRequest.deadlineMillis() - terminationRequest.requestedMillis();
            return "did not exit within its grace of " + grace / 1000 + " s and was killed";
        }
        if (ending.saveFailed()) {
            return "could not save";
        }
        return terminationRequest.signalHandled()
                ? "exited without reporting a save"
                : "none of its processes handles " + spec.checkpoint().signal() + ": unsaved work is lost";
    }
}
