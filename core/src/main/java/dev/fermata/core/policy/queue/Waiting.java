package dev.fermata.core.policy.queue;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.model.Demand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Waiting jobs by kind of demand, each kind in rank order. Jobs of one kind fit or do not fit together, so when the first
 * does not fit the rest need no look: a decision costs the number of kinds, not of waiting jobs.
 */
public final class Waiting {
    private record Key(Demand demand, long types) {}

    /** All waiting jobs with one demand. */
    public static final class Kind {
        final RankTree tree = new RankTree(0);
        private int activeIndex = -1;
        private long blockedVersion = -1;
        private long blockedHead = -1;
        private Reason blockedReason = Reason.NOT_YET_CONSIDERED;

        /** The most deserving of a kind that has waiting jobs. */
        public Entry first() {
            return Objects.requireNonNull(tree.first());
        }

        public RankTree tree() {
            return tree;
        }

        public Reason blockedReason() {
            return blockedReason;
        }

        /** The first job did not fit: no look at this kind until capacity appears (or another job comes first). */
        public void block(long version, Entry head, Reason reason) {
            blockedVersion = version;
            blockedHead = head.job().id();
            blockedReason = reason;
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
    private final Map<Key, Kind> kinds = new HashMap<>();
    private final List<Kind> active = new ArrayList<>();

    /** @param oneLine keep all jobs in one line, for policies in which the first blocks everyone behind it */
    public Waiting(boolean oneLine) {
        this.oneLine = oneLine;
    }

    void add(Entry entry) {
        JobView job = entry.job();
        Key key = oneLine ? new Key(Demand.gpus(1), 0) : new Key(job.job().demand(), job.eligibleTypes());
        Kind kind = kinds.computeIfAbsent(key, k -> new Kind());
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

    /** How many waiting jobs rank before this one. */
    public int ahead(Entry entry) {
        int ahead = 0;
        for (Kind kind : active) {
            ahead += kind.tree.position(entry);
        }
        return ahead;
    }
}
