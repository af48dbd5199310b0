package dev.fermata.core.estimate;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/**
 * A job of which nothing matters but what it is, what it did and how it stands: enough for an estimator to learn from
 * ({@link dev.fermata.core.contract.Estimator#noted}) when it was not there at the time. Told of the same jobs in the order of
 * their ends, {@link History} says what it would say had it seen them, but for conclusions that it drew on the way and has
 * not yet drawn anew.
 *
 * @param submittedMillis when it came
 * @param ranMillis how long it ran over all attempts
 * @param workMillis reference-milliseconds of work it did, saved or not
 */
public record PastJob(Job job, JobState state, long submittedMillis, long ranMillis, long workMillis)
        implements JobView {

    /** One that ran for so long on the reference GPU. */
    public static PastJob of(Job job, JobState state, long ranMillis) {
        return new PastJob(job, state, 0, ranMillis, ranMillis);
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
    public long queuedMillis() {
        return submittedMillis;
    }

    @Override
    public long ticketMillis() {
        return submittedMillis;
    }

    @Override
    public long startedMillis() {
        return submittedMillis;
    }

    @Override
    public long runningMillis() {
        return submittedMillis;
    }

    @Override
    public long attainedMillis(long nowMillis) {
        return ranMillis;
    }

    @Override
    public long attainedGpuMillis(long nowMillis) {
        return ranMillis * gpus();
    }

    @Override
    public long savedWorkMillis() {
        return workMillis;
    }

    @Override
    public long mostWorkMillis() {
        return workMillis;
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return workMillis;
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
