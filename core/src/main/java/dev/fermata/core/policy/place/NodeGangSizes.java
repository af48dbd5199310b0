package dev.fermata.core.policy.place;

import dev.fermata.core.model.Allocation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** What sizes of jobs are on which nodes, derived from the jobs that a policy sees come and go. */
public final class NodeGangSizes {
    private final int[] jobs;
    private final int[] size;
    private final List<BitSet> nodesBySize = new ArrayList<>();

    public NodeGangSizes(int nodes) {
        jobs = new int[nodes];
        size = new int[nodes];
    }

    public void add(Allocation held) {
        for (int k = 0; k < held.nodeCount(); k++) {
            jobs[held.node(k)]++;
            resize(held.node(k), held.size());
        }
    }

    public void remove(Allocation held) {
        for (int k = 0; k < held.nodeCount(); k++) {
            if (--jobs[held.node(k)] == 0) {
                resize(held.node(k), 0);
            }
        }
    }

    private void resize(int node, int to) {
        nodesOf(size[node]).clear(node);
        size[node] = to;
        nodesOf(to).set(node);
    }

    private BitSet nodesOf(int gangSize) {
        while (nodesBySize.size() <= gangSize) {
            nodesBySize.add(new BitSet());
        }
        return nodesBySize.get(gangSize);
    }

    /** The first node at or after {@code from} whose latest job had this size, or -1. */
    int nextOfSize(int gangSize, int from) {
        return nodesOf(gangSize).nextSetBit(from);
    }
}
