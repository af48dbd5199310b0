package dev.fermata.core.scheduler;

/** Nodes of each type bucketed by how many GPUs they have available, as bit sets: find and move cost a word or two. */
final class NodeAvailabilityIndex {
    private final int words;
    private final long[][][] buckets;
    private final int[][] sizes;
    private final long[][] nonEmpty;

    NodeAvailabilityIndex(int types, int nodes, int maxCount) {
        words = (nodes + 63) >>> 6;
        buckets = new long[types][maxCount + 1][];
        sizes = new int[types][maxCount + 1];
        nonEmpty = new long[types][(maxCount + 64) >>> 6];
    }

    void add(int type, int node, int count) {
        long[] bucket = buckets[type][count];
        if (bucket == null) {
            bucket = new long[words];
            buckets[type][count] = bucket;
        }
        bucket[node >>> 6] |= 1L << node;
        if (sizes[type][count]++ == 0) {
            nonEmpty[type][count >>> 6] |= 1L << count;
        }
    }

    void move(int type, int node, int from, int to) {
        buckets[type][from][node >>> 6] &= ~(1L << node);
        if (--sizes[type][from] == 0) {
            nonEmpty[type][from >>> 6] &= ~(1L << from);
        }
        add(type, node, to);
    }

    int next(int type, int atLeast) {
        long[] set = nonEmpty[type];
        return Bits.next(set, Math.max(0, atLeast), set.length << 6);
    }

    int previous(int type, int atMost) {
        return Bits.previous(nonEmpty[type], Math.min(atMost, sizes[type].length - 1));
    }

    int findNode(int type, int count, int from, int end) {
        if (count < 0 || count >= sizes[type].length || sizes[type][count] == 0) {
            return -1;
        }
        return Bits.next(buckets[type][count], from, end);
    }
}
