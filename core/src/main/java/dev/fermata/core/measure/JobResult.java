package dev.fermata.core.measure;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Tier;
import org.jspecify.annotations.Nullable;

/**
 * The life of one job in numbers. For a job that ended, {@code jct = wait + overhead + run} to the millisecond.
 *
 * @param gpuType index of the type it last ran on (of its first GPU where it had several), -1 when it never ran
 */
public record JobResult(
        JobIdentity job,
        JobState state,
        Times times,
        Durations durations,
        int preemptions,
        int attempts,
        int gpuType,
        @Nullable Tier tier) {
    /** The job as it was submitted; {@code gpus} is its largest size. */
    public record JobIdentity(long id, String name, JobClass jobClass, int gpus) {}

    /** @param firstStartMillis -1 when it never started */
    public record Times(long submitMillis, long firstStartMillis, long finishMillis) {}

    /**
     * Where its time went.
     *
     * @param runMillis time it made progress, kept or lost
     * @param overheadMillis time it held GPUs without progress: loading and saving
     */
    public record Durations(long waitMillis, long runMillis, long overheadMillis) {}

    public long id() {
        return job.id();
    }

    public String name() {
        return job.name();
    }

    public JobClass jobClass() {
        return job.jobClass();
    }

    public int gpus() {
        return job.gpus();
    }

    public long submitMillis() {
        return times.submitMillis();
    }

    public long firstStartMillis() {
        return times.firstStartMillis();
    }

    public long finishMillis() {
        return times.finishMillis();
    }

    public long waitMillis() {
        return durations.waitMillis();
    }

    public long runMillis() {
        return durations.runMillis();
    }

    public long overheadMillis() {
        return durations.overheadMillis();
    }

    public long jctMillis() {
        return finishMillis() - submitMillis();
    }

    /** 1 + wait / run time. */
    public double slowdown() {
        return 1 + (double) waitMillis() / Math.max(1, runMillis());
    }
}
