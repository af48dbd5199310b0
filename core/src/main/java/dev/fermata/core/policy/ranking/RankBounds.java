package dev.fermata.core.policy.ranking;

import java.util.Arrays;

/**
 * For each node how low a job on it may rank at most. The lowest of each half of the nodes, of each half of that, and so on
 * are kept as well. The next node with a rank low enough costs O(log nodes), however many have none.
 */
final class RankBounds {
    /** For a node without jobs. */
    static final double NONE = Double.NEGATIVE_INFINITY;

    /** Above the distance of any two keys, so that levels decide first. */
    private static final double LEVEL = 0x1p64;

    private final int leaves;
    private final double[] lowest;

    RankBounds(int nodes) {
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, nodes - 1)) << 1);
        lowest = new double[2 * leaves];
        Arrays.fill(lowest, NONE);
    }

    /** A rank as one number, the greater the lower; rounded, but never so that two of them change their order. */
    static double of(int level, long key) {
        return level * LEVEL + key;
    }

    /** How low this rank may be from now on: keys that rise with time know no bound. */
    static double of(int level, long base, long slope, long nowMillis) {
        return slope > 0 ? Double.POSITIVE_INFINITY : of(level, base + slope * nowMillis);
    }

    /** A job of this rank came to a node. */
    void lower(int node, double rank) {
        for (int at = leaves + node; at > 0 && lowest[at] < rank; at >>= 1) {
            lowest[at] = rank;
        }
    }

    /** The jobs of a node rank no lower than this. */
    void set(int node, double rank) {
        int at = leaves + node;
        lowest[at] = rank;
        for (at >>= 1; at > 0; at >>= 1) {
            double now = Math.max(lowest[2 * at], lowest[2 * at + 1]);
            if (lowest[at] == now) {
                return;
            }
            lowest[at] = now;
        }
    }

    /** The first node from {@code from} on with a job that may rank as low as this, or -1. */
    int next(int from, double rank) {
        if (from >= leaves || lowest[1] < rank) {
            return -1;
        }
        int at = leaves + from;
        while (lowest[at] < rank) {
            while ((at & 1) == 1) { // the last of its parent: the next range is its parent's neighbour
                at >>= 1;
            }
            if (at == 0) {
                return -1;
            }
            at++;
        }
        while (at < leaves) {
            at = lowest[2 * at] >= rank ? 2 * at : 2 * at + 1;
        }
        return at - leaves;
    }
}
