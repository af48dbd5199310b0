package dev.fermata.core.policy.ranking;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Tier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A policy's entry for one live job: its rank and its place. It is in at most one tree at a time. */
public final class RankedJob {
    final JobView job;
    Rank rank;
    /** Its attempt when it was last looked at. */
    int attempt;
    /** GPUs it counts for in sums over a tree. */
    int weight;
    // what preempting it costs, apart from lost work: a search for victims asks thousands of jobs
    long vacateMillis;
    long leaveAndReturnMillis;
    boolean savesWork;
    boolean maySuspend;
    boolean trial;

    /** The decision in which it was last judged whether it outlasts a preemption, and the answer. */
    private long judgedDecision = -1;

    private boolean outlasts;

    /** Remaining-time estimate, for backfilling. */
    long estimateMillis;

    @Nullable
    RankTree tree;

    WaitingJobs.@Nullable DemandClass demandClass;
    /** Its demand class while it waits, for what it accepts and the memory it needs. */
    WaitingJobs.@Nullable DemandClass homeClass;
    /** How far apart it let its GPUs be when it last began to wait or widened that. */
    Tier acceptedTier = Tier.NETWORK;
    /** The GPU types it takes now. */
    long acceptedTypes;
    /** How costly a place it takes now. */
    int acceptedStep;
    /** The GPU memory it needed when it last began to wait. */
    int memoryMib;
    /** Its id if it was suspended then, else -1. */
    long suspendedKey = -1;
    /** What was known of how it trains then. */
    @Nullable
    Profile profile;

    /** The GPUs under which it stands among the running. */
    @Nullable
    Allocation indexedAllocation;
    /** The running jobs that cost as much to preempt, while it is one of them. */
    VictimGroups.@Nullable Group victimGroup;
    /** Counts re-rankings, so that what was due for an old rank is recognised. */
    long stamp;

    // links and sums of the tree it is in
    final long priority;

    @Nullable
    RankedJob left;

    @Nullable
    RankedJob right;

    long weightSum;
    long estimateMin;
    int count;

    RankedJob(JobView job, Rank rank) {
        this.job = job;
        this.rank = rank;
        this.attempt = job.attempt();
        this.priority = mix(job.id());
    }

    public JobView job() {
        return job;
    }

    public Rank rank() {
        return rank;
    }

    /** The waiting jobs of equal demand it stands among, or null when it does not wait. */
    public WaitingJobs.@Nullable DemandClass demandClass() {
        return demandClass;
    }

    /** How long a running job holds its GPUs after a preemption begins. */
    public long vacateMillis() {
        return vacateMillis;
    }

    /** What leaving and loading again take of a running job's time. */
    public long leaveAndReturnMillis() {
        return leaveAndReturnMillis;
    }

    /** Whether a running job would lose no work when it is preempted. */
    public boolean savesWork() {
        return savesWork;
    }

    /** Whether a running job may be suspended in place, if that does not fail. */
    public boolean maySuspend() {
        return maySuspend;
    }

    /** Whether a running job is a trial. */
    public boolean isTrial() {
        return trial;
    }

    /** Whether a running job outlasts its preemption, judged once in each decision: many waiting jobs ask in turn. */
    public boolean outlastsPreemption(long decision, Predicate<JobView> judge) {
        if (judgedDecision != decision) {
            judgedDecision = decision;
            outlasts = judge.test(job);
        }
        return outlasts;
    }

    public long estimateMillis() {
        return estimateMillis;
    }

    public int weight() {
        return weight;
    }

    /** Rank order at one moment, whatever the slopes; ties by id. */
    public static int compareAt(RankedJob a, RankedJob b, long nowMillis) {
        if (a.rank.level() != b.rank.level()) {
            return Integer.compare(a.rank.level(), b.rank.level());
        }
        int byKey = Long.compare(a.rank.keyAt(nowMillis), b.rank.keyAt(nowMillis));
        return byKey != 0 ? byKey : Long.compare(a.job.id(), b.job.id());
    }

    /** A fixed hash of the id: balances the tree and is the same in every run. */
    private static long mix(long z) {
        z = (z + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
