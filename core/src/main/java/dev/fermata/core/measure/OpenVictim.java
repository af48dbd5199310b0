package dev.fermata.core.measure;

import dev.fermata.core.model.Job;

/** One job preempted by one decision, while its consequences are not all known. */
final class OpenVictim {
    final OpenPreemption preemption;
    final Job job;
    final int attempt;
    final int gpus;
    long vacatedMillis = -1;
    long preemptMillis = -1;
    long lostMillis = -1;
    long reloadMillis = -1;
    long reloadGpuMillis = -1;
    long awayMillis = -1;
    long remainingMillis = -1;
    /** Useful time of the job when it was preempted, including what this preemption lost. */
    long usefulMillis;

    OpenVictim(OpenPreemption preemption, Job job, int attempt, int gpus) {
        this.preemption = preemption;
        this.job = job;
        this.attempt = attempt;
        this.gpus = gpus;
    }

    /** It makes progress again, or never will. */
    void markResumed(long nowMillis) {
        awayMillis = nowMillis - preemption.atMillis;
    }

    PreemptionResult.VictimResult toResult() {
        return new PreemptionResult.VictimResult(
                job.id(),
                job.name(),
                attempt,
                gpus,
                vacatedMillis,
                new PreemptionResult.VictimCost(preemptMillis, lostMillis, reloadMillis, reloadGpuMillis),
                awayMillis,
                remainingMillis);
    }
}
