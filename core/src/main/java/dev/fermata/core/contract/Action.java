package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import java.util.List;

/** One thing a policy wants done. */
public sealed interface Action {
    long jobId();

    /** Start a pending job on GPUs that are free now. */
    record Start(long jobId, Allocation allocation) implements Action {}

    /**
     * Pause the victims and promise the allocation to the job: it starts when the last of them has left. With no victims
     * the job is promised GPUs that are being vacated already. Gain and cost are the policy's estimates, in
     * job-milliseconds of completion time; both are zero where the policy weighs nothing.
     */
    record Preempt(long jobId, Allocation allocation, List<Long> victims, long gainMillis, long costMillis)
            implements Action {
        public Preempt {
            victims = List.copyOf(victims);
        }
    }

    /** A pending job can never run, since others did not end as it wanted; it ends without having been started. */
    record Cancel(long jobId) implements Action {}

    /** Pause a running job and restart it on these free GPUs, which are promised to it meanwhile. */
    record Move(long jobId, Allocation allocation) implements Action {}
}
