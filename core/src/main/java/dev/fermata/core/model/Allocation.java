package dev.fermata.core.model;

import java.util.Arrays;

/**
 * The GPUs one attempt of a job holds. Either it has them for itself, or ({@code shared}) it holds only the memory it
 * reserved and lets others share its GPUs.
 */
public final class Allocation {
    private static final int[] ONE = {1};
    private static final Shape SINGLE_GPU = new Shape(1, 1, 1);

    private final int[] gpus;
    private final int[] nodes;
    private final int[] gpusOnNode;
    private final boolean shared;
    private final boolean mixed;
    private final Shape shape;

    private Allocation(int[] gpus, int[] nodes, int[] gpusOnNode, boolean shared, boolean mixed, Shape shape) {
        this.gpus = gpus;
        this.nodes = nodes;
        this.gpusOnNode = gpusOnNode;
        this.shared = shared;
        this.mixed = mixed;
        this.shape = shape;
    }

    /** An allocation of these GPU numbers; the array is taken over and sorted. */
    public static Allocation of(Topology topology, int[] gpus, boolean shared) {
        Require.that(gpus.length > 0, "an allocation needs at least one gpu");
        if (gpus.length == 1) { // most jobs
            return new Allocation(gpus, new int[] {topology.nodeOf(gpus[0])}, ONE, shared, false, SINGLE_GPU);
        }
        sort(gpus);
        int[] nodes = new int[gpus.length];
        int[] counts = new int[gpus.length];
        int n = 0;
        for (int i = 0; i < gpus.length; i++) {
            Require.that(i == 0 || gpus[i] != gpus[i - 1], "gpu (%s) is named twice in one allocation", gpus[i]);
            int node = topology.nodeOf(gpus[i]);
            if (n == 0 || nodes[n - 1] != node) {
                nodes[n++] = node;
            }
            counts[n - 1]++;
        }
        int racks = 0;
        int lastRack = -1;
        boolean mixed = false;
        for (int i = 0; i < n; i++) {
            int rack = topology.node(nodes[i]).rack();
            mixed |= topology.node(nodes[i]).type() != topology.node(nodes[0]).type();
            if (rack != lastRack) {
                racks++;
                lastRack = rack;
            }
        }
        return new Allocation(
                gpus,
                Arrays.copyOf(nodes, n),
                Arrays.copyOf(counts, n),
                shared,
                mixed,
                Shape.of(gpus.length, n, racks));
    }

    /** GPUs are mostly found in their order. */
    private static void sort(int[] gpus) {
        for (int i = 1; i < gpus.length; i++) {
            if (gpus[i] < gpus[i - 1]) {
                Arrays.sort(gpus);
                return;
            }
        }
    }

    public int size() {
        return gpus.length;
    }

    public int gpu(int i) {
        return gpus[i];
    }

    public int nodeCount() {
        return nodes.length;
    }

    public int node(int i) {
        return nodes[i];
    }

    /** How many of the GPUs are on the i-th node. */
    public int gpusOn(int i) {
        return gpusOnNode[i];
    }

    /** How many of the GPUs are on the node with this number. */
    public int gpusOnNode(int node) {
        if (nodes.length == 1) {
            return nodes[0] == node ? gpus.length : 0;
        }
        int k = Arrays.binarySearch(nodes, node);
        return k < 0 ? 0 : gpusOnNode[k];
    }

    public boolean shared() {
        return shared;
    }

    /** Whether its GPUs are of more than one type. */
    public boolean mixed() {
        return mixed;
    }

    public Shape shape() {
        return shape;
    }

    public Tier tier() {
        return shape.tier();
    }

    public boolean contains(int gpu) {
        return Arrays.binarySearch(gpus, gpu) >= 0;
    }

    public int[] toArray() {
        return gpus.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Allocation that && shared == that.shared && Arrays.equals(gpus, that.gpus);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(gpus);
    }

    @Override
    public String toString() {
        return (shared ? "shared" : "") + Arrays.toString(gpus);
    }
}
