package dev.fermata.core.policy.ranking;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in rank order with sums over subtrees: a treap (Seidel and Aragon 1996). All ranks in one tree have the same
 * slope, so their order never changes by itself. Every operation costs O(log n).
 */
public final class RankTree {
    final long slope;
    private @Nullable RankedJob root;
    private @Nullable RankedJob first;
    private @Nullable RankedJob last;
    /** No entry has a key below 0 before this time; where ranks do not sink, none ever has. */
    private long overdueFromMillis = Long.MAX_VALUE;

    RankTree(long slope) {
        this.slope = slope;
    }

    public boolean isEmpty() {
        return root == null;
    }

    public int size() {
        return root == null ? 0 : root.count;
    }

    public long weight() {
        return root == null ? 0 : root.weightSum;
    }

    void add(RankedJob entry) {
        entry.tree = this;
        entry.left = null;
        entry.right = null;
        root = insert(root, entry);
        if (first == null || compare(entry, first) < 0) {
            first = entry;
        }
        if (last == null || compare(entry, last) > 0) {
            last = entry;
        }
        overdueFromMillis = Math.min(overdueFromMillis, overdueFromMillis(entry));
    }

    private long overdueFromMillis(RankedJob entry) {
        return slope < 0 ? Math.floorDiv(entry.rank.base(), -slope) + 1 : Long.MAX_VALUE;
    }

    /** No entry has sunk below 0 before this time. */
    long overdueFromMillis() {
        return overdueFromMillis;
    }

    /** An entry whose key has sunk below 0, or null. */
    @Nullable
    RankedJob overdue(long nowMillis) {
        if (nowMillis < overdueFromMillis) {
            return null;
        }
        long next = Long.MAX_VALUE;
        for (RankedJob e = first; e != null; e = firstAfterLevel(e.rank.level())) {
            if (e.rank.keyAt(nowMillis) < 0) {
                return e;
            }
            next = Math.min(next, overdueFromMillis(e));
        }
        overdueFromMillis = next;
        return null;
    }

    void remove(RankedJob entry) {
        root = delete(root, entry);
        entry.tree = null;
        if (first == entry) {
            first = leftmost();
        }
        if (last == entry) {
            last = rightmost();
        }
    }

    private @Nullable RankedJob leftmost() {
        RankedJob e = root;
        while (e != null && e.left != null) {
            e = e.left;
        }
        return e;
    }

    public @Nullable RankedJob first() {
        return first;
    }

    private @Nullable RankedJob rightmost() {
        RankedJob e = root;
        while (e != null && e.right != null) {
            e = e.right;
        }
        return e;
    }

    public @Nullable RankedJob last() {
        return last;
    }

    /** The entry next before this one in rank order. */
    public @Nullable RankedJob predecessor(RankedJob entry) {
        RankedJob found = null;
        for (RankedJob e = root; e != null; ) {
            if (compare(e, entry) < 0) {
                found = e;
                e = e.right;
            } else {
                e = e.left;
            }
        }
        return found;
    }

    /** The first entry of the levels below (after) this one. */
    private @Nullable RankedJob firstAfterLevel(int level) {
        RankedJob found = null;
        for (RankedJob e = root; e != null; ) {
            if (e.rank.level() > level) {
                found = e;
                e = e.left;
            } else {
                e = e.right;
            }
        }
        return found;
    }

    /** Sum of weights of all entries that rank strictly after the given rank at this time. */
    public long weightAfter(Rank rank, long nowMillis) {
        long base = rank.keyAt(nowMillis) - slope * nowMillis;
        if (last == null || !isAfter(last, rank.level(), base)) {
            return 0; // so it is in most trees for a job of low rank
        }
        long sum = 0;
        for (RankedJob e = root; e != null; ) {
            if (isAfter(e, rank.level(), base)) {
                sum += e.weight + (e.right == null ? 0 : e.right.weightSum);
                e = e.left;
            } else {
                e = e.right;
            }
        }
        return sum;
    }

    private static boolean isAfter(RankedJob e, int level, long base) {
        return e.rank.level() != level ? e.rank.level() > level : e.rank.base() > base;
    }

    /** All entries that rank strictly after the given rank at this time, in no particular order. */
    void forEachAfter(Rank rank, long nowMillis, Consumer<RankedJob> visitor) {
        visitAfter(root, rank.level(), rank.keyAt(nowMillis) - slope * nowMillis, visitor);
    }

    private static void visitAfter(@Nullable RankedJob from, int level, long base, Consumer<RankedJob> visitor) {
        RankedJob e = from;
        while (e != null) {
            if (isAfter(e, level, base)) {
                visitor.accept(e);
                visitAfter(e.left, level, base, visitor);
            }
            e = e.right;
        }
    }

    /** All entries, in rank order. */
    void forEach(Consumer<RankedJob> visitor) {
        visit(root, visitor);
    }

    private static void visit(@Nullable RankedJob from, Consumer<RankedJob> visitor) {
        for (RankedJob e = from; e != null; e = e.right) {
            visit(e.left, visitor);
            visitor.accept(e);
        }
    }

    /** How many entries rank before this one. */
    public int position(RankedJob entry) {
        int position = 0;
        for (RankedJob e = root; e != null; ) {
            if (compare(e, entry) < 0) {
                position += 1 + (e.left == null ? 0 : e.left.count);
                e = e.right;
            } else {
                e = e.left;
            }
        }
        return position;
    }

    /** The first entry up to which the weights add up to at least {@code target}, or null. */
    public @Nullable RankedJob firstReachingWeight(long target) {
        if (weight() < target) {
            return null;
        }
        long missing = target;
        RankedJob e = root;
        while (e != null) {
            long left = e.left == null ? 0 : e.left.weightSum;
            if (left >= missing) {
                e = e.left;
            } else if (left + e.weight >= missing) {
                return e;
            } else {
                missing -= left + e.weight;
                e = e.right;
            }
        }
        return null;
    }

    /** The first entry after {@code from} (or of all, when null) whose estimate is at most {@code limitMillis}. */
    public @Nullable RankedJob firstNotLongerThan(@Nullable RankedJob from, long limitMillis) {
        return firstNotLongerThan(root, from, limitMillis);
    }

    private static @Nullable RankedJob firstNotLongerThan(@Nullable RankedJob e, @Nullable RankedJob from, long limit) {
        if (e == null || e.estimateMin > limit) {
            return null;
        }
        if (from != null && compare(e, from) <= 0) {
            return firstNotLongerThan(e.right, from, limit);
        }
        RankedJob found = firstNotLongerThan(e.left, from, limit);
        if (found != null) {
            return found;
        }
        return e.estimateMillis <= limit ? e : firstNotLongerThan(e.right, null, limit);
    }

    private static RankedJob insert(@Nullable RankedJob at, RankedJob entry) {
        if (at == null) {
            return sum(entry);
        }
        if (entry.priority > at.priority || (entry.priority == at.priority && entry.job.id() > at.job.id())) {
            split(at, entry, entry);
            return sum(entry);
        }
        if (compare(entry, at) < 0) {
            at.left = insert(at.left, entry);
        } else {
            at.right = insert(at.right, entry);
        }
        return sum(at);
    }

    /** Splits a subtree around a key and hangs the halves under {@code under}. */
    private static void split(@Nullable RankedJob at, RankedJob key, RankedJob under) {
        if (at == null) {
            under.left = null;
            under.right = null;
        } else if (compare(at, key) < 0) {
            split(at.right, key, under);
            at.right = under.left;
            under.left = sum(at);
        } else {
            split(at.left, key, under);
            at.left = under.right;
            under.right = sum(at);
        }
    }

    private static @Nullable RankedJob delete(@Nullable RankedJob at, RankedJob entry) {
        if (at == null) {
            throw new IllegalStateException("job " + entry.job.id() + " is not in this tree");
        }
        if (at == entry) {
            return merge(at.left, at.right);
        }
        if (compare(entry, at) < 0) {
            at.left = delete(at.left, entry);
        } else {
            at.right = delete(at.right, entry);
        }
        return sum(at);
    }

    private static @Nullable RankedJob merge(@Nullable RankedJob a, @Nullable RankedJob b) {
        if (a == null) {
            return b;
        }
        if (b == null) {
            return a;
        }
        if (a.priority > b.priority || (a.priority == b.priority && a.job.id() > b.job.id())) {
            a.right = merge(a.right, b);
            return sum(a);
        }
        b.left = merge(a, b.left);
        return sum(b);
    }

    private static RankedJob sum(RankedJob e) {
        e.weightSum = e.weight;
        e.estimateMin = e.estimateMillis;
        e.count = 1;
        if (e.left != null) {
            add(e, e.left);
        }
        if (e.right != null) {
            add(e, e.right);
        }
        return e;
    }

    private static void add(RankedJob e, RankedJob child) {
        e.weightSum += child.weightSum;
        e.estimateMin = Math.min(e.estimateMin, child.estimateMin);
        e.count += child.count;
    }

    /** Order inside a tree of one slope: level, base, id. */
    static int compare(RankedJob a, RankedJob b) {
        if (a.rank.level() != b.rank.level()) {
            return Integer.compare(a.rank.level(), b.rank.level());
        }
        if (a.rank.base() != b.rank.base()) {
            return Long.compare(a.rank.base(), b.rank.base());
        }
        return Long.compare(a.job.id(), b.job.id());
    }
}
