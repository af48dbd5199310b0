package dev.fermata.core.policy.place;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * GPUs in use that another job may join: by step of busyness and size of the gangs on them, with the memory that is left.
 * The next one with enough memory costs O(log GPUs), however many have too little.
 */
final class JoinableGpus {
    /** Gangs of 1, of 2 and 3, of 4 to 7 and so on. */
    private static final int SIZES = Integer.SIZE;

    /** For a GPU that a job has for itself. */
    static final int NO_MEMORY = Integer.MIN_VALUE;

    private final int gpus;
    private final @Nullable MaxTree[][] trees;
    private final int[] countOfStep;
    private final int[] stepOf;
    private final int[] sizeOf;
    private final int[] mibOf;

    JoinableGpus(int steps, int gpus) {
        this.gpus = gpus;
        this.trees = new MaxTree[steps][SIZES];
        this.countOfStep = new int[steps];
        this.stepOf = new int[gpus];
        this.sizeOf = new int[gpus];
        this.mibOf = new int[gpus];
        Arrays.fill(stepOf, -1);
    }

    /** A GPU of this step may be joined, next to gangs of at most so many GPUs. */
    void put(int gpu, int step, int largestGang, int freeMib) {
        int size = size(largestGang);
        if (stepOf[gpu] != step || sizeOf[gpu] != size) {
            remove(gpu);
            countOfStep[step]++;
        }
        stepOf[gpu] = step;
        sizeOf[gpu] = size;
        mibOf[gpu] = freeMib;
        MaxTree tree = trees[step][size];
        if (tree == null) {
            tree = new MaxTree(gpus);
            trees[step][size] = tree;
        }
        tree.set(gpu, freeMib);
    }

    void remove(int gpu) {
        MaxTree tree = stepOf[gpu] < 0 ? null : trees[stepOf[gpu]][sizeOf[gpu]];
        if (tree != null) {
            tree.set(gpu, NO_MEMORY);
            countOfStep[stepOf[gpu]]--;
            stepOf[gpu] = -1;
        }
    }

    /** Whether a gang of this size may join the jobs of this GPU, its memory apart; some larger gangs count as well. */
    boolean mayJoin(int gpu, int gang) {
        return stepOf[gpu] >= 0 && sizeOf[gpu] <= size(gang) && mibOf[gpu] != NO_MEMORY;
    }

    /** The step of a GPU that may be joined. */
    int step(int gpu) {
        return stepOf[gpu];
    }

    /** The memory left on a GPU that may be joined. */
    int freeMib(int gpu) {
        return mibOf[gpu];
    }

    boolean isEmpty(int step) {
        return countOfStep[step] == 0;
    }

    /**
     * The GPUs of a step with that much memory left, in their order. None is left out whose gangs are no larger than
     * {@code gang}; some with larger ones may be among them.
     */
    Walk walk(int step, int gang, int mib) {
        return new Walk(trees[step], size(gang), mib);
    }

    /** A walk over GPUs of several sizes of gangs; valid while none is put or removed. */
    static final class Walk {
        private final @Nullable MaxTree[] bySize;
        private final int mib;
        private final int[] cursors;

        private Walk(@Nullable MaxTree[] bySize, int maxSize, int mib) {
            this.bySize = bySize;
            this.mib = mib;
            this.cursors = new int[maxSize + 1];
            for (int size = 0; size <= maxSize; size++) {
                advance(size, 0);
            }
        }

        /** The next GPU that is not before this one, or -1. */
        int next(int from) {
            for (int size = 0; size < cursors.length; size++) {
                if (cursors[size] < from) {
                    advance(size, from);
                }
            }
            return next();
        }

        /** The next GPU, or -1. */
        int next() {
            int first = 0;
            for (int size = 1; size < cursors.length; size++) {
                first = cursors[size] < cursors[first] ? size : first;
            }
            int found = cursors[first];
            if (found == Integer.MAX_VALUE) {
                return -1;
            }
            advance(first, found + 1);
            return found;
        }

        private void advance(int size, int from) {
            MaxTree tree = bySize[size];
            int found = tree == null ? -1 : tree.next(from, mib);
            cursors[size] = found < 0 ? Integer.MAX_VALUE : found;
        }
    }

    private static int size(int gang) {
        return SIZES - 1 - Integer.numberOfLeadingZeros(gang);
    }

    /** Values by index, with the largest of each half of a range, of each half of that, and so on. */
    private static final class MaxTree {
        private final int leaves;
        private final int[] max;

        MaxTree(int size) {
            leaves = Math.max(1, Integer.highestOneBit(Math.max(1, size - 1)) << 1);
            max = new int[2 * leaves];
            Arrays.fill(max, NO_MEMORY);
        }

        void set(int index, int value) {
            int at = leaves + index;
            max[at] = value;
            for (at >>= 1; at > 0; at >>= 1) {
                int now = Math.max(max[2 * at], max[2 * at + 1]);
                if (max[at] == now) {
                    return;
                }
                max[at] = now;
            }
        }

        /** The first index from {@code from} on with a value of at least so much, or -1. */
        int next(int from, int atLeast) {
            if (from >= leaves || max[1] < atLeast) {
                return -1;
            }
            int at = leaves + from;
            while (max[at] < atLeast) {
                while ((at & 1) == 1) { // the last of its parent: the next range is its parent's neighbour
                    at >>= 1;
                }
                if (at == 0) {
                    return -1;
                }
                at++;
            }
            while (at < leaves) {
                at = max[2 * at] >= atLeast ? 2 * at : 2 * at + 1;
            }
            return at - leaves;
        }
    }
}
