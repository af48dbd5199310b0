package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/** A job that was never submitted, as an estimator would see it at its submission. */
record Newcomer(Job job, long submittedMillis) implements JobView {
    @Override
    public int slot() {
        return -1;
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
    public long queuedMillis() {
        return submittedMillis;
    }

    @Override
    public long ticketMillis() {
        return submittedMillis;
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
        return -1L;
    }

    @Override
    public int[] typesByPreference() {
        return new int[0];
    }
}
