package dev.fermata.core.measure;

import dev.fermata.core.model.Job;

/** One job paused by one decision, while its consequences are not all known. */
final class Pause {
    final Decision decision;
    final Job job;
    final int attempt;
    final int gpus;
    long leftMillis = -1;
    long pauseMillis = -1;
    long lostMillis = -1;
    long reloadMillis = -1;
    long reloadGpuMillis = -1;
    long awayMillis = -1;
    long remainingMillis = -1;
    /** Useful time of the job when it was paused, what this pause lost included. */
    long usefulMillis;

    Pause(Decision decision, Job job, int attempt, int gpus) {
        this.decision = decision;
        this.job = job;
        this.attempt = attempt;
        this.gpus = gpus;
    }

    /** It makes progress again, or never will. */
    void back(long nowMillis) {
        awayMillis = nowMillis - decision.atMillis;
    }

    Preemption.Victim victim() {
        return new Preemption.Victim(
                job.id(),
                job.name(),
                attempt,
                gpus,
                leftMillis,
                pauseMillis,
                lostMillis,
                reloadMillis,
                reloadGpuMillis,
                awayMillis,
                remainingMillis);
    }
}
