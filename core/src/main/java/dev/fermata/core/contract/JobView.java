package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import org.jspecify.annotations.Nullable;

/** One live job as policies see it: a window on the ledger's record, valid while the policy decides. */
public interface JobView {
    Job job();

    /** A small number that is this job's alone while it lives, for arrays; reused after its end. */
    int slot();

    JobState state();

    /** Number of the current or latest attempt; 0 before the first. */
    int attempt();

    long submittedMillis();

    /** When it last entered the queue: at submission, or when it was paused or lost. */
    long queuedMillis();

    /** Its place in a first-come queue: the submission, kept when it is paused, lost when it ran out of memory. */
    long ticketMillis();

    /** When the current attempt got its GPUs. */
    long startedMillis();

    /** When the current attempt began to make progress. */
    long runningMillis();

    /** Milliseconds of running (not loading, not pausing) over all attempts, up to {@code nowMillis}. */
    long attainedMillis(long nowMillis);

    /** GPU-milliseconds of running over all attempts, up to {@code nowMillis}: the service of 2D-LAS. */
    long attainedGpuMillis(long nowMillis);

    /** Reference-milliseconds of work that survived earlier attempts. */
    long savedWorkMillis();

    /**
     * The most work it had done, or was thought to have done, when it left its GPUs, what was lost of it since included: it is known not to
     * end before.
     */
    long mostWorkMillis();

    /** Reference-milliseconds of work done so far, what the current attempt has done since its start included. */
    long doneWorkMillis(long nowMillis);

    /** Progress in millionths of the reference speed, as the engine last reported it. */
    long paceMicro();

    int preemptions();

    /** Whether it was put on hold: not to be started until released. */
    boolean onHold();

    /** GPUs it holds in this attempt, or is promised while it still waits for them. */
    @Nullable
    Allocation allocation();

    /** Pending, with GPUs being vacated for it. */
    boolean promised();

    /** Bit mask of GPU types it may run on. */
    long eligibleTypes();

    /** The eligible types, fastest for this job first. */
    int[] typesByPreference();

    /** Until when the running attempt is nobody's victim: it is promised to run for a while once it runs. */
    default long settlesMillis() {
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
