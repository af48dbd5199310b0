package dev.fermata.core.policy.ranking;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Tier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Waiting jobs by demand class, each class in rank order: one demand, and the tier they accept. Jobs of one class fit or do
 * not fit together, so when the first does not fit the rest need no check: a decision costs the number of classes, not of jobs.
 */
public final class WaitingJobs {
    private static final long NOT_SUSPENDED = -1;

    /** A suspended job is a class of its own: it fits on the nodes where its processes are. */
    private static long suspendedKey(JobView job) {
        return job.suspension() == null ? NOT_SUSPENDED : job.id();
    }

    /** What decides whether a job fits on GPUs of its own; memory does so through the eligible types alone. */
    private record DemandKey(
            int minGpus,
            int maxGpus,
            int memoryMib,
            int milli,
            long types,
            long cpu,
            long memory,
            AcceptedPlaces accepted) {
        /** In the mask of types: no cluster has as many. */
        private static final long SPLITS = Long.MIN_VALUE;

        static final DemandKey ANY =
                new DemandKey(0, 0, 0, 0, 0, 0, 0, new AcceptedPlaces(Tier.NETWORK, 0, NOT_SUSPENDED));

        static DemandKey of(JobView job, boolean sharing, Tier acceptedTier, long types, int step) {
            Demand d = job.job().demand();
            return new DemandKey(
                    d.minGpus(),
                    d.maxGpus(),
                    sharing ? d.gpuMemoryMib() : 0,
                    sharing ? d.gpuMilli() : 0,
                    d.splitsBatch() ? types | SPLITS : types,
                    d.cpuMilliPerGpu(),
                    d.memoryMibPerGpu(),
                    new AcceptedPlaces(acceptedTier, step, suspendedKey(job)));
        }
    }

    /** How far apart a job lets its GPUs be, and whether it returns to the nodes where its processes are. */
    private record AcceptedPlaces(Tier tier, int step, long suspended) {}

    /** What a preemption of this many victims for a job would gain and cost. */
    public record WeighedPreemption(long jobId, int victims, long gainMillis, long costMillis) {}

    /** All waiting jobs with one demand that accept the same tier. */
    public static final class DemandClass {
        final RankTree tree = new RankTree(0);
        private int activeIndex = -1;
        private long blockedVersion = -1;
        private long blockedHead = -1;
        private ReasonCode blockedReason = ReasonCode.NOT_YET_CONSIDERED;
        private @Nullable WeighedPreemption weighedPreemption;

        /** The first in rank of a class that has waiting jobs. */
        public RankedJob head() {
            return Objects.requireNonNull(tree.first());
        }

        public RankTree tree() {
            return tree;
        }

        /**
         * The first job did not fit: the class is skipped until capacity appears or another job comes first. Returns whether this
         * is new: another job, or another reason.
         */
        public boolean block(long version, RankedJob head, ReasonCode reason) {
            boolean isNew = blockedHead != head.job().id() || blockedReason != reason;
            blockedVersion = version;
            blockedHead = head.job().id();
            blockedReason = reason;
            return isNew;
        }

        /** The decision is made again: the class is worth another check. */
        public void unblock() {
            blockedVersion = -1;
        }

        /** A preemption for this job was weighed and does not pay. */
        public void weighedPreemption(RankedJob head, int victims, long gainMillis, long costMillis) {
            weighedPreemption = new WeighedPreemption(head.job().id(), victims, gainMillis, costMillis);
        }

        /** The last weighing no longer holds. */
        public void clearWeighedPreemption() {
            weighedPreemption = null;
        }

        /** What the last weighing for this job found, or null. */
        public @Nullable WeighedPreemption weighedPreemption(RankedJob head) {
            return weighedPreemption != null
                            && weighedPreemption.jobId == head.job().id()
                    ? weighedPreemption
                    : null;
        }

        public boolean isBlocked(long version, boolean headAffectsFit) {
            if (blockedVersion != version) {
                return false;
            }
            RankedJob head = tree.first();
            return !headAffectsFit || (head != null && head.job().id() == blockedHead);
        }
    }

    private final boolean singleQueue;
    private final boolean sharing;
    private final Map<DemandKey, DemandClass> demandClasses = new HashMap<>();
    private final List<DemandClass> active = new ArrayList<>();

    /**
     * @param singleQueue keep all jobs in one queue, for policies in which the first blocks all others
     * @param sharing jobs may share GPUs, so that their memory decides where they fit
     */
    WaitingJobs(boolean singleQueue, boolean sharing) {
        this.singleQueue = singleQueue;
        this.sharing = sharing;
    }

    void add(RankedJob entry, Tier acceptedTier, long types, int step) {
        DemandClass demandClass = entry.homeClass;
        int memoryMib = entry.job.job().demand().gpuMemoryMib();
        if (demandClass == null
                || entry.acceptedTier != acceptedTier
                || entry.acceptedTypes != types
                || entry.acceptedStep != step
                || entry.memoryMib != memoryMib
                || entry.suspendedKey != suspendedKey(entry.job)) {
            demandClass = demandClasses.computeIfAbsent(
                    singleQueue ? DemandKey.ANY : DemandKey.of(entry.job, sharing, acceptedTier, types, step),
                    k -> new DemandClass());
            if (demandClass == entry.homeClass) {
                demandClass.blockedVersion = -1; // in the same class, but it now accepts more
            }
            entry.homeClass = demandClass;
            entry.acceptedTier = acceptedTier;
            entry.acceptedTypes = types;
            entry.acceptedStep = step;
            entry.memoryMib = memoryMib;
            entry.suspendedKey = suspendedKey(entry.job);
        }
        Profile profile = entry.job.job().profile();
        if (sharing && entry.profile != null && !profile.equals(entry.profile)) {
            demandClass.blockedVersion = -1; // co-locations that pay may be known better now
        }
        entry.profile = profile;
        if (demandClass.activeIndex < 0) {
            demandClass.activeIndex = active.size();
            active.add(demandClass);
        }
        entry.demandClass = demandClass;
        demandClass.tree.add(entry);
    }

    void remove(RankedJob entry) {
        DemandClass demandClass = entry.demandClass;
        if (demandClass != null) {
            demandClass.tree.remove(entry);
            entry.demandClass = null;
            if (demandClass.tree.isEmpty()) {
                DemandClass last = active.remove(active.size() - 1);
                if (last != demandClass) {
                    active.set(demandClass.activeIndex, last);
                    last.activeIndex = demandClass.activeIndex;
                }
                demandClass.activeIndex = -1;
            }
        }
    }

    /** Classes by their first jobs, in rank order. Waiting jobs have no slope, so this needs no time. */
    public static Comparator<DemandClass> byHead() {
        return (a, b) -> RankTree.compare(a.head(), b.head());
    }

    /** Rank order of two waiting jobs. */
    public static int compare(RankedJob a, RankedJob b) {
        return RankTree.compare(a, b);
    }

    /** The classes that have waiting jobs. */
    public List<DemandClass> demandClasses() {
        return active;
    }

    /** Whether some class is worth a check. */
    public boolean anyUnblocked(long version, boolean headAffectsFit) {
        for (int i = 0; i < active.size(); i++) {
            if (!active.get(i).isBlocked(version, headAffectsFit)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a job waits that ranks before this one. */
    boolean anyRankedBefore(RankedJob entry, long nowMillis) {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).head().rank.isBefore(entry.rank, nowMillis)) {
                return true;
            }
        }
        return false;
    }

    /** How many waiting jobs rank before this one. */
    public int countAhead(RankedJob entry) {
        int ahead = 0;
        for (DemandClass demandClass : active) {
            ahead += demandClass.tree.position(entry);
        }
        return ahead;
    }
}
