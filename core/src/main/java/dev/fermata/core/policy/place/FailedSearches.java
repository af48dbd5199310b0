package dev.fermata.core.policy.place;

import dev.fermata.core.model.LongMap;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Searches for GPUs to share that found no place that pays. The next search for the same job looks only at nodes that changed
 * since, until the place that came closest might pay because time has passed, {@value #MAX_REST_MILLIS} ms at most.
 */
final class FailedSearches {
    private static final long MAX_REST_MILLIS = 60_000;

    /** After more changes all nodes are looked at. */
    private static final int MAX_CHANGES = 64;

    private static final int MAX_TYPES = 64;

    /** How many changes there had been, and when all nodes are looked at again. */
    private record FailedSearch(long changes, long againMillis) {}

    private final LongMap<FailedSearch> failed = new LongMap<>();
    /** The nodes that changed last. */
    private final int[] changed = new int[MAX_CHANGES];

    private long changes;
    /** The number of changes that the last failed search knew. */
    private long known;

    /** Jobs came to this node, left it, or changed there. */
    void nodeChanged(int node) {
        if (changes == known || changed[(int) ((changes - 1) % MAX_CHANGES)] != node) {
            changed[(int) (changes++ % MAX_CHANGES)] = node;
        }
    }

    /** Something happened to this job. */
    void forget(long job, int[] types) {
        for (int type : types) {
            failed.remove(key(job, type));
        }
    }

    /** The nodes to look at for a job, each once, in their order; null for all of them. */
    int @Nullable [] nodesToSearch(long job, int type, long nowMillis) {
        FailedSearch last = failed.get(key(job, type));
        if (last == null || nowMillis >= last.againMillis || changes - last.changes > MAX_CHANGES) {
            return null;
        }
        return Arrays.stream(changedSince(last.changes)).distinct().sorted().toArray();
    }

    private int[] changedSince(long from) {
        int[] nodes = new int[(int) (changes - from)];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = changed[(int) ((from + i) % MAX_CHANGES)];
        }
        return nodes;
    }

    /**
     * A search found no place.
     *
     * @param missingMillis what the best place lacks
     * @param perMilli how much of that may come with each millisecond
     */
    void addFailed(long job, int type, long nowMillis, double missingMillis, double perMilli) {
        FailedSearch last = failed.get(key(job, type));
        long earliest = last == null || nowMillis >= last.againMillis ? Long.MAX_VALUE : last.againMillis;
        long rest = (long) Math.min(MAX_REST_MILLIS, missingMillis / perMilli);
        known = changes;
        failed.put(key(job, type), new FailedSearch(changes, Math.min(earliest, nowMillis + rest)));
    }

    private static long key(long job, int type) {
        return job * MAX_TYPES + type;
    }
}
