package dev.fermata.core.measure;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Tier;
import org.jspecify.annotations.Nullable;

/**
 * The life of one job in numbers. For a job that ended, {@code jct = wait + overhead + run} to the millisecond.
 *
 * @param firstStartMillis -1 when it never started
 * @param runMillis time it made progress, kept or lost
 * @param overheadMillis time it held GPUs without progress: loading and pausing
 * @param gpuType index of the type it last ran on (of its first GPU where it had several), -1 when it never ran
 */
public record JobResult(
        long id,
        String name,
        JobClass jobClass,
        int gpus,
        JobState state,
        long submitMillis,
        long firstStartMillis,
        long finishMillis,
        long waitMillis,
        long runMillis,
        long overheadMillis,
        int preemptions,
        int attempts,
        int gpuType,
        @Nullable Tier tier) {
    public long jctMillis() {
        return finishMillis - submitMillis;
    }

    /** 1 + wait / run time. */
    public double slowdown() {
        return 1 + (double) waitMillis / Math.max(1, runMillis);
    }
}
