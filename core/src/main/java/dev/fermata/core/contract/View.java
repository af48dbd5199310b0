package dev.fermata.core.contract;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cluster as a policy sees it: a view over the indexes of the cluster state, not a copy. */
public interface View {
    long nowMillis();

    Topology topology();

    FreeCapacity capacity();

    /**
     * Jobs whose state or admission changed since the last decision, each once, ended jobs included. A policy that keeps
     * its own queues reads only this, so a decision costs what changed, not what exists.
     */
    List<JobView> changedJobs();

    /**
     * Whether no gate of admission keeps the job from starting. A job that is not admitted is changed once, when its gate
     * closes, and again when it opens; in between it is not part of this view, not even when it ends.
     */
    default boolean isAdmitted(JobView job) {
        return true;
    }

    /** Whether the policy may start this job: it is pending, has no reservation, and is admitted. */
    default boolean isWaiting(JobView job) {
        return job.state() == JobState.PENDING && !job.hasReservation() && isAdmitted(job);
    }

    /**
     * Grows whenever a job that did not fit might fit now: a GPU freed, vacating, repaired or undrained, queue rules
     * or a job updated.
     */
    long capacityVersion();

    @Nullable
    JobView job(long id);

    /** Every live job, by id. Walks all of them: not for every decision. */
    List<JobView> liveJobs();

    /** GPUs that are not down, used or not, drained or not: the shares of queues are parts of these. */
    int gpusUp();

    /** GPUs of one type on which attempts may start: neither down nor drained, used or not. */
    int schedulableGpus(int type);

    int pendingJobs();

    int runningJobs();

    /** The queue rules in force; a queue without a rule has no limits. */
    List<QueueRule> queueRules();

    /** Whether the queues allow that the one is preempted for the other. */
    default boolean mayPreempt(JobView victim, JobView beneficiary) {
        return true;
    }

    /** Remaining work in reference-milliseconds, by the configured estimator. */
    long remainingMillis(JobView job);

    /** Whether the estimator knows anything of this job that distinguishes it from others. */
    boolean isEstimated(JobView job);

    /** What the estimator knows beyond one number, or null. */
    @Nullable
    RuntimeEstimate runtimeEstimate(JobView job);

    /** Grows when estimates of unchanged jobs may have changed. */
    long estimateVersion();

    /** Host memory of a node that further suspended jobs may hold. */
    default long suspendMemoryMib(int node) {
        return 0;
    }

    Draft draft();
}
