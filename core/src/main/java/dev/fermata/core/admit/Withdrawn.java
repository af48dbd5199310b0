package dev.fermata.core.admit;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/** A job whose gate closed, as the policy is told of it: gone, and nothing to learn from. It may come back as if it were new. */
record Withdrawn(JobView real) implements JobView {
    @Override
    public JobState state() {
        return JobState.CANCELLED;
    }

    @Override
    public Job job() {
        return real.job();
    }

    @Override
    public int slot() {
        return real.slot();
    }

    @Override
    public int attempt() {
        return real.attempt();
    }

    @Override
    public long submittedMillis() {
        return real.submittedMillis();
    }

    @Override
    public long queuedMillis() {
        return real.queuedMillis();
    }

    @Override
    public long ticketMillis() {
        return real.ticketMillis();
    }

    @Override
    public long startedMillis() {
        return real.startedMillis();
    }

    @Override
    public long runningMillis() {
        return real.runningMillis();
    }

    @Override
    public long attainedMillis(long nowMillis) {
        return real.attainedMillis(nowMillis);
    }

    @Override
    public long attainedGpuMillis(long nowMillis) {
        return real.attainedGpuMillis(nowMillis);
    }

    @Override
    public long savedWorkMillis() {
        return real.savedWorkMillis();
    }

    @Override
    public long mostWorkMillis() {
        return real.mostWorkMillis();
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return real.doneWorkMillis(nowMillis);
    }

    @Override
    public long paceMicro() {
        return real.paceMicro();
    }

    @Override
    public int preemptions() {
        return real.preemptions();
    }

    @Override
    public boolean onHold() {
        return real.onHold();
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
        return real.eligibleTypes();
    }

    @Override
    public int[] typesByPreference() {
        return real.typesByPreference();
    }
}
