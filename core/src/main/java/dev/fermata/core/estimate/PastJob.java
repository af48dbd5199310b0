package dev.fermata.core.estimate;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/**
 * A job as an estimator sees it: its description, its work and its state. That is enough to learn from ({@link
 * dev.fermata.core.contract.Estimator#observe}) after it has ended. From the same jobs in the order of their ends,
 * {@link HistoryEstimator} estimates as if it had seen them, but for conclusions that it drew on the way and has not
 * yet recomputed.
 *
 * @param submittedMillis when it was submitted
 * @param runMillis how long it ran over all attempts
 * @param workMillis reference-milliseconds of work it did, saved or not
 */
public record PastJob(Job job, JobState state, long submittedMillis, long runMillis, long workMillis)
        implements JobView {

    /** One that ran for so long on the reference GPU. */
    public static PastJob of(Job job, JobState state, long runMillis) {
        return new PastJob(job, state, 0, runMillis, runMillis);
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
    public long fifoKeyMillis() {
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
        return runMillis;
    }

    @Override
    public long attainedGpuMillis(long nowMillis) {
        return runMillis * gpus();
    }

    @Override
    public long savedWorkMillis() {
        return workMillis;
    }

    @Override
    public long peakWorkMillis() {
        return workMillis;
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return workMillis;
    }

    @Override
    public long speedMicro() {
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
    public boolean isHeldByUser() {
        return false;
    }

    @Override
    public @Nullable Allocation allocation() {
        return null;
    }

    @Override
    public boolean hasReservation() {
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
