package dev.fermata.core.policy.queue;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Reason;
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
 * Waiting jobs by kind of demand and the tier they accept, each kind in rank order. Jobs of one kind fit or do not fit
 * together, so when the first does not fit the rest need no look: a decision costs the number of kinds, not of waiting jobs.
 */
public final class Waiting {
    /** What decides whether a job fits on GPUs of its own; memory does so through the eligible types alone. */
    private record Key(
            int minGpus, int maxGpus, int memoryMib, int milli, long types, long cpu, long memory, Tier accepts) {
        static final Key ANY = new Key(0, 0, 0, 0, 0, 0, 0, Tier.NETWORK);

        static Key of(JobView job, boolean sharing, Tier accepts, long types) {
            Demand d = job.job().demand();
            return new Key(
                    d.minGpus(),
                    d.maxGpus(),
                    sharing ? d.gpuMemoryMib() : 0,
                    sharing ? d.gpuMilli() : 0,
                    types,
                    d.cpuMilliPerGpu(),
                    d.memoryMibPerGpu(),
                    accepts);
        }
    }

    /** What pausing so many others for a job would gain and cost. */
    public record Weighed(long jobId, int victims, long gainMillis, long costMillis) {}

    /** All waiting jobs with one demand that accept the same tier. */
    public static final class Kind {
        final RankTree tree = new RankTree(0);
        private int activeIndex = -1;
        private long blockedVersion = -1;
        private long blockedHead = -1;
        private Reason blockedReason = Reason.NOT_YET_CONSIDERED;
        private @Nullable Weighed weighed;

        /** The most deserving of a kind that has waiting jobs. */
        public Entry first() {
            return Objects.requireNonNull(tree.first());
        }

        public RankTree tree() {
            return tree;
        }

        /**
         * The first job did not fit: no look at this kind until capacity appears (or another job comes first). Answers
         * whether this is news: another job, or another reason.
         */
        public boolean block(long version, Entry head, Reason reason) {
            boolean news = blockedHead != head.job().id() || blockedReason != reason;
            blockedVersion = version;
            blockedHead = head.job().id();
            blockedReason = reason;
            return news;
        }

        /** Pausing others for this job was looked at and does not pay. */
        public void weighed(Entry head, int victims, long gainMillis, long costMillis) {
            weighed = new Weighed(head.job().id(), victims, gainMillis, costMillis);
        }

        /** What pausing others for a job is worth is looked at anew. */
        public void forgetWeighed() {
            weighed = null;
        }

        /** What was found when pausing others for this job was last looked at, or null. */
        public @Nullable Weighed weighed(Entry head) {
            return weighed != null && weighed.jobId == head.job().id() ? weighed : null;
        }

        public boolean blocked(long version, boolean headMatters) {
            if (blockedVersion != version) {
                return false;
            }
            Entry head = tree.first();
            return !headMatters || (head != null && head.job().id() == blockedHead);
        }
    }

    private final boolean oneLine;
    private final boolean sharing;
    private final Map<Key, Kind> kinds = new HashMap<>();
    private final List<Kind> active = new ArrayList<>();

    /**
     * @param oneLine keep all jobs in one line, for policies in which the first blocks everyone behind it
     * @param sharing jobs may share GPUs, so that their memory decides where they fit
     */
    Waiting(boolean oneLine, boolean sharing) {
        this.oneLine = oneLine;
        this.sharing = sharing;
    }

    void add(Entry entry, Tier accepts, long types) {
        Kind kind = entry.home;
        int memoryMib = entry.job.job().demand().gpuMemoryMib();
        if (kind == null || entry.accepts != accepts || entry.types != types || entry.memoryMib != memoryMib) {
            kind = kinds.computeIfAbsent(
                    oneLine ? Key.ANY : Key.of(entry.job, sharing, accepts, types), k -> new Kind());
            if (kind == entry.home) {
                kind.blockedVersion = -1; // in one line as before, but it takes now what it did not take then
            }
            entry.home = kind;
            entry.accepts = accepts;
            entry.types = types;
            entry.memoryMib = memoryMib;
        }
        Profile profile = entry.job.job().profile();
        if (sharing && entry.profile != null && !profile.equals(entry.profile)) {
            kind.blockedVersion = -1; // beside whom it pays may be known better now
        }
        entry.profile = profile;
        if (kind.activeIndex < 0) {
            kind.activeIndex = active.size();
            active.add(kind);
        }
        entry.kind = kind;
        kind.tree.add(entry);
    }

    void remove(Entry entry) {
        Kind kind = entry.kind;
        if (kind != null) {
            kind.tree.remove(entry);
            entry.kind = null;
            if (kind.tree.isEmpty()) {
                Kind last = active.remove(active.size() - 1);
                if (last != kind) {
                    active.set(kind.activeIndex, last);
                    last.activeIndex = kind.activeIndex;
                }
                kind.activeIndex = -1;
            }
        }
    }

    /** Kinds by their first jobs, the most deserving first. Waiting jobs have no slope, so this needs no time. */
    public static Comparator<Kind> byFirst() {
        return (a, b) -> RankTree.compare(a.first(), b.first());
    }

    /** Rank order of two waiting jobs. */
    public static int compare(Entry a, Entry b) {
        return RankTree.compare(a, b);
    }

    /** The kinds that have waiting jobs. */
    public List<Kind> kinds() {
        return active;
    }

    /** Whether some kind is worth a look. */
    public boolean anyUnblocked(long version, boolean headMatters) {
        for (int i = 0; i < active.size(); i++) {
            if (!active.get(i).blocked(version, headMatters)) {
                return true;
            }
        }
        return false;
    }

    /** Whether anybody waits who is more deserving than this job. */
    boolean anyBefore(Entry entry, long nowMillis) {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).first().rank.before(entry.rank, nowMillis)) {
                return true;
            }
        }
        return false;
    }

    /** How many waiting jobs rank before this one. */
    public int ahead(Entry entry) {
        int ahead = 0;
        for (Kind kind : active) {
            ahead += kind.tree.position(entry);
        }
        return ahead;
    }
}
