package dev.fermata.core.policy.queue;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/** A job with nothing but an id and a size. */
record FakeJob(Job job) implements JobView {
    static FakeJob of(long id, int gpus) {
        return new FakeJob(Job.builder(id, gpus).build());
    }

    @Override
    public int slot() {
        return (int) job.id();
    }

    @Override
    public JobState state() {
        return JobState.PENDING;
    }

    @Override
    public int attempt() {
        return 0;
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
        return 0;
    }

    @Override
    public long attainedGpuMillis(long nowMillis) {
        return 0;
    }

    @Override
    public long savedWorkMillis() {
        return 0;
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return 0;
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
