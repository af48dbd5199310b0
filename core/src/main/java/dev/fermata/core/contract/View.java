package dev.fermata.core.contract;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The world as a policy sees it: a window over the ledger's indexes, not a copy. */
public interface View {
    long nowMillis();

    Topology topology();

    Space space();

    /**
     * Jobs whose state changed since the last decision, each once, those that ended included. A policy that keeps its
     * own queues reads only this, so a decision costs what happened, not what exists.
     */
    List<JobView> changed();

    /**
     * Counts every time somebody who could not get GPUs might get them now: a GPU freed, vacating, or repaired, queue rules
     * or a job described anew.
     */
    long capacityVersion();

    @Nullable
    JobView job(long id);

    /** Every live job, by id. Walks them all: for who comes late, not for every decision. */
    List<JobView> live();

    /** GPUs that are not down, used or not. */
    int gpusUp();

    /** Those of one type. */
    int gpusUp(int type);

    int pendingJobs();

    int runningJobs();

    /** The rules of the queues in force; a queue that none of them names is free of rules. */
    List<QueueRule> queueRules();

    /** Whether queues let the one be paused for the other. */
    default boolean mayPause(JobView victim, JobView newcomer) {
        return true;
    }

    /** Remaining work in reference-milliseconds, as the configured estimator sees it. */
    long remainingMillis(JobView job);

    /** What the estimator knows beyond one number, or null. */
    @Nullable
    Outlook outlook(JobView job);

    /** Grows when estimates of jobs to which nothing happened may have changed. */
    long estimateVersion();

    Draft draft();
}
