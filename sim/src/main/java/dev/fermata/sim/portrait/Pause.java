package dev.fermata.sim.portrait;

import dev.fermata.core.model.Job;

/** One job paused by one decision. */
final class Pause {
    final Decision decision;
    final Job job;
    final int gpus;
    long pauseGpuMillis;
    long reloadGpuMillis;
    long lostGpuMillis;
    long lostMillis;
    long awayMillis;
    /** Useful time of the job when it was paused, what this pause lost included. */
    long usefulMillis;

    long remainingMillis;

    Pause(Decision decision, Job job, int gpus) {
        this.decision = decision;
        this.job = job;
        this.gpus = gpus;
    }

    Preemption.Victim victim() {
        return new Preemption.Victim(
                job.id(),
                job.name(),
                gpus,
                pauseGpuMillis,
                reloadGpuMillis,
                lostGpuMillis,
                awayMillis,
                lostMillis,
                remainingMillis);
    }
}
