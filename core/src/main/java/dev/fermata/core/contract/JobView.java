package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/** One live job as policies see it: a view of the cluster state, valid while the policy decides. */
public interface JobView {
    Job job();

    /** A small index that is this job's alone while it lives, for arrays; reused after its end. */
    int slot();

    JobState state();

    /** Number of the current or latest attempt; 0 before the first. */
    int attempt();

    long submittedMillis();

    /** When it last entered the queue: at submission, or when it was preempted or lost. */
    long queuedMillis();

    /** Its place in a first-come queue: the submission, kept when it is preempted, lost when it ran out of memory. */
    long fifoKeyMillis();

    /** When the current attempt got its GPUs. */
    long startedMillis();

    /** When the current attempt began to make progress. */
    long runningMillis();

    /** Milliseconds of running (not loading, not saving) over all attempts, up to {@code nowMillis}. */
    long attainedMillis(long nowMillis);

    /** GPU-milliseconds of running over all attempts, up to {@code nowMillis}: the service of 2D-LAS. */
    long attainedGpuMillis(long nowMillis);

    /** Reference-milliseconds of work that survived earlier attempts. */
    long savedWorkMillis();

    /**
     * The most work it had done, or was estimated to have done, when it left its GPUs, including what was lost since. It needs at
     * least that much.
     */
    long peakWorkMillis();

    /** Reference-milliseconds of work done so far, including the current attempt. */
    long doneWorkMillis(long nowMillis);

    /** Progress in millionths of the reference speed, as the engine last reported it. */
    long speedMicro();

    int preemptions();

    /**
     * Whether it may not start: it is on hold until it is released, waits after a failed start, or for nodes that the
     * cluster lacks.
     */
    boolean onHold();

    /** Whether a user put it on hold. */
    boolean isHeldByUser();

    /** GPUs it holds in this attempt, or that are reserved for it. */
    @Nullable
    Allocation allocation();

    /** Pending, with GPUs being vacated for it. */
    boolean hasReservation();

    /** How many GPUs are reserved for it; of a job that is resized, not as many as it holds. */
    default int reservedGpus() {
        return hasReservation() ? gpus() : 0;
    }

    /** Where its processes are suspended, or are being resumed; null for none. */
    default @Nullable Suspension suspension() {
        return null;
    }

    /** The attempt that started its processes: an earlier one where these were suspended and resumed. */
    default int process() {
        return attempt();
    }

    /** Whether its attempt is being suspended. */
    default boolean isSuspending() {
        return false;
    }

    /** The state as users see it. */
    default JobState shownState() {
        return switch (state()) {
            case PREEMPTING -> isSuspending() ? JobState.SUSPENDING : JobState.PREEMPTING;
            case PENDING -> suspension() == null ? JobState.PENDING : JobState.SUSPENDED;
            case STARTING -> suspension() == null ? JobState.STARTING : JobState.RESUMING;
            default -> state();
        };
    }

    /** Whether it may be suspended in place. */
    default boolean canBeSuspended() {
        return job().costs().suspend().possible();
    }

    /** What its next start takes until it makes progress. */
    default long nextLoadMillis() {
        return suspension() == null
                ? job().costs().loadMillis(resumed())
                : job().costs().suspend().inMillis();
    }

    /** Bit mask of GPU types it may run on. */
    long eligibleTypes();

    /** The eligible types, fastest for this job first. */
    int[] typesByPreference();

    /** The part of the saved work that is left should its processes be lost: less, where these were suspended. */
    default long savedOnDiskMillis() {
        return savedWorkMillis();
    }

    /** Until when the running attempt is never a victim: see {@link Job.Limits#minRuntimeMillis}. */
    default long preemptibleFromMillis() {
        return runningMillis() + job().minRuntimeMillis();
    }

    default boolean resumed() {
        return attempt() > 0 && savedWorkMillis() > 0;
    }

    default long id() {
        return job().id();
    }

    /** GPUs it holds, or would hold at its full size. */
    default int gpus() {
        Allocation held = allocation();
        return held != null ? held.size() : job().demand().maxGpus();
    }
}
