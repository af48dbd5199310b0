package dev.fermata.core.policy.ranking;

import dev.fermata.core.model.Allocation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Running jobs by node. What a search for victims asks of every node, ranks and GPUs, lies in one array per node: a walk over
 * thousands of nodes must not touch an object for each job.
 */
final class JobsByNode {
    /** What is kept of a job: level, base and slope of its rank, and its GPUs on the node. */
    private static final int FIELDS = 4;

    private final List<List<RankedJob>> jobs = new ArrayList<>();
    private final long[][] ranks;
    /** GPUs that these jobs hold on each node, and the most that one of them holds. */
    private final int[] held;

    private final int[] maxHeld;
    /** By number of GPUs, how low the jobs rank that hold at least so many of a node; null until that is of interest. */
    private final List<@Nullable RankBounds> boundsByGpus = new ArrayList<>();

    JobsByNode(int nodes) {
        held = new int[nodes];
        maxHeld = new int[nodes];
        ranks = new long[nodes][0];
        for (int node = 0; node < nodes; node++) {
            jobs.add(new ArrayList<>());
        }
    }

    List<RankedJob> on(int node) {
        return jobs.get(node);
    }

    void add(RankedJob entry, Allocation allocation, long nowMillis) {
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int node = allocation.node(k);
            List<RankedJob> here = jobs.get(node);
            int at = FIELDS * here.size();
            if (at == ranks[node].length) {
                ranks[node] = Arrays.copyOf(ranks[node], Math.max(2 * FIELDS, 2 * at));
            }
            here.add(entry);
            long[] rank = ranks[node];
            rank[at] = entry.rank.level();
            rank[at + 1] = entry.rank.base();
            rank[at + 2] = entry.rank.slope();
            rank[at + 3] = allocation.gpusOn(k);
            held[node] += allocation.gpusOn(k);
            maxHeld[node] = Math.max(maxHeld[node], allocation.gpusOn(k));
            lowerBounds(node, entry.rank, allocation.gpusOn(k), nowMillis);
        }
    }

    /**
     * The first node from {@code from} on where one victim may be enough, or -1. It holds as many GPUs as are needed, and may
     * rank after the rank of the need. Bounds that time has made too low are corrected where they are met.
     */
    int nextOfOneVictim(int from, VictimNeed need) {
        RankBounds bounds = bounds(need.gpus(), need.nowMillis());
        double rank = RankBounds.of(need.level(), need.key());
        int node = bounds.next(from, rank);
        while (node >= 0) {
            double now = lowestRank(node, need.gpus(), need.nowMillis());
            if (now >= rank) {
                return node;
            }
            bounds.set(node, now);
            node = bounds.next(node + 1, rank);
        }
        return -1;
    }

    /** How low jobs rank that hold at least so many GPUs of a node; kept from when it is first asked for. */
    private RankBounds bounds(int gpus, long nowMillis) {
        while (boundsByGpus.size() <= gpus) {
            boundsByGpus.add(null);
        }
        RankBounds bounds = boundsByGpus.get(gpus);
        if (bounds == null) {
            bounds = new RankBounds(held.length);
            boundsByGpus.set(gpus, bounds);
            for (int node = 0; node < held.length; node++) {
                bounds.set(node, lowestRank(node, gpus, nowMillis));
            }
        }
        return bounds;
    }

    private double lowestRank(int node, int gpus, long nowMillis) {
        long[] rank = ranks[node];
        double lowest = RankBounds.NONE;
        for (int at = 0; at < FIELDS * jobs.get(node).size(); at += FIELDS) {
            if (rank[at + 3] >= gpus) {
                lowest = Math.max(lowest, RankBounds.of((int) rank[at], rank[at + 1], rank[at + 2], nowMillis));
            }
        }
        return lowest;
    }

    /** Bounds are not raised when a job goes: it would cost more than to do so where one is met. */
    private void lowerBounds(int node, Rank rank, int gpus, long nowMillis) {
        double bound = RankBounds.of(rank.level(), rank.base(), rank.slope(), nowMillis);
        for (int least = 1; least <= gpus && least < boundsByGpus.size(); least++) {
            RankBounds bounds = boundsByGpus.get(least);
            if (bounds != null) {
                bounds.lower(node, bound);
            }
        }
    }

    void remove(RankedJob entry, Allocation allocation) {
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int node = allocation.node(k);
            List<RankedJob> here = jobs.get(node);
            int i = here.indexOf(entry);
            int last = here.size() - 1;
            here.set(i, here.get(last));
            here.remove(last);
            System.arraycopy(ranks[node], FIELDS * last, ranks[node], FIELDS * i, FIELDS);
            held[node] -= allocation.gpusOn(k);
            maxHeld[node] = 0;
            for (int at = 0; at < FIELDS * last; at += FIELDS) {
                maxHeld[node] = Math.max(maxHeld[node], (int) ranks[node][at + 3]);
            }
        }
    }

    /**
     * The first place in {@code nodes}, from {@code from} on, of a node where these jobs may free enough, or -1.
     *
     * @param available the GPUs of a node that are available without victims
     */
    int next(int[] nodes, int from, VictimNeed need, IntUnaryOperator available) {
        for (int i = from; i < nodes.length; i++) {
            int node = nodes[i];
            if (held[node] > 0 && mayFree(node, need, available.applyAsInt(node))) {
                return i;
            }
        }
        return -1;
    }

    /** Whether GPUs are missing on a node, and so many jobs at most that rank after the given rank hold as many there. */
    boolean mayFree(int node, VictimNeed need, int available) {
        int missing = need.gpus() - available;
        if (missing <= 0 || held[node] < missing || (long) maxHeld[node] * need.maxJobs() < missing) {
            return false;
        }
        long[] rank = ranks[node];
        long lower = 0;
        long largest = 0;
        for (int at = 0; at < FIELDS * jobs.get(node).size(); at += FIELDS) {
            boolean after = rank[at] != need.level()
                    ? rank[at] > need.level()
                    : rank[at + 1] + rank[at + 2] * need.nowMillis() > need.key();
            if (after) {
                lower += rank[at + 3];
                largest = Math.max(largest, rank[at + 3]);
            }
        }
        return lower >= missing && largest * need.maxJobs() >= missing;
    }
}
