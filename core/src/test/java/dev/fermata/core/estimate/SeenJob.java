package dev.fermata.core.estimate;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/** A job of which nothing matters but what it is, what it did and how it stands. */
public record SeenJob(Job job, JobState state, long doneMillis) implements JobView {
    /** One that waits and has nothing but an id and a size. */
    public static SeenJob of(long id, int gpus) {
        return new SeenJob(Job.builder(id, gpus).build(), JobState.PENDING, 0);
    }

    @Override
    public int slot() {
        return (int) job.id();
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public long submittedMillis() {
        return 0;
    }

    @Override
    public long queuedMillis() {
        return 0;
    }

    @Override
    public long ticketMillis() {
        return 0;
    }

    @Override
    public long startedMillis() {
        return 0;
    }

    @Override
    public long runningMillis() {
        return 0;
    }

    @Override
    public long attainedMillis(long nowMillis) {
        return doneMillis;
    }

    @Override
    public long attainedGpuMillis(long nowMillis) {
        return doneMillis;
    }

    @Override
    public long savedWorkMillis() {
        return doneMillis;
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return doneMillis;
    }

    @Override
    public long paceMicro() {
        return 0;
    }

    @Override
    public int preemptions() {
        return 0;
    }

    @Override
    public boolean onHold() {
        return false;
    }

    @Override
    public @Nullable Allocation allocation() {
        return null;
    }

    @Override
    public boolean promised() {
        return false;
    }

    @Override
    public long eligibleTypes() {
        return 1;
    }

    @Override
    public int[] typesByPreference() {
        return new int[] {0};
    }
}
