package dev.fermata.sim.engine;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Speed;
import dev.fermata.sim.workload.SimulatedJob;
import org.jspecify.annotations.Nullable;

/**
 * A job between its arrival and its end: the work left between attempts, and the attempt on GPUs or the suspended processes,
 * if any.
 */
final class JobExecution {
    final SimulatedJob job;
    long remainingMicro;
    long ranMillis;

    @Nullable
    SimulatedAttempt run;

    /** The GPUs that its suspended processes left; null for none. */
    @Nullable
    Allocation suspendedOn;

    /** What is left to do should its processes be lost. */
    long remainingOnDiskMicro;

    JobExecution(SimulatedJob job) {
        this.job = job;
        this.remainingMicro = job.durationMillis() * Speed.UNIT;
        this.remainingOnDiskMicro = remainingMicro;
    }

    /** Its suspended processes are gone, and what only they had done. */
    void discardProcesses() {
        if (suspendedOn != null) {
            suspendedOn = null;
            remainingMicro = remainingOnDiskMicro;
        }
    }

    /** Its attempt has ended. */
    void recordEnd(SimulatedAttempt ended, Outcome outcome, boolean saved) {
        boolean suspended = outcome == Outcome.SUSPENDED;
        remainingMicro = ended.remainingAfterEndMicro(saved);
        suspendedOn = suspended ? ended.allocation : null;
        remainingOnDiskMicro = suspended ? ended.remainingAfterEndMicro(false) : remainingMicro;
    }
}
