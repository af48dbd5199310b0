package dev.fermata.core.policy.place;

import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The nodes where a gang of one size may join running jobs on all of its GPUs. Kept of a node is how busy the GPU is that
 * would complete the gang, taking the least busy GPUs first, and the memory of that GPU, taking those with most memory first.
 * The next node costs O(log nodes), however many cannot hold the gang.
 */
final class JoinableNodes {
    /** Of a node with too few GPUs to join. */
    private static final int NONE = Integer.MAX_VALUE;

    private final Topology topology;
    private final JoinableGpus gpus;
    private final int gang;
    private final int leaves;
    /** By node, and the least of each half of the nodes, of each half of that, and so on; memory alike, the most. */
    private final int[] steps;

    private final int[] mibs;
    private final int[] stepsHere;
    private final int[] mibsHere;

    /** Nodes that changed since they were last of interest. */
    private final BitSet changed = new BitSet();

    JoinableNodes(Topology topology, int type, JoinableGpus gpus, int gang) {
        this.topology = topology;
        this.gpus = gpus;
        this.gang = gang;
        int nodes = topology.nodes().size();
        leaves = Math.max(1, Integer.highestOneBit(Math.max(1, nodes - 1)) << 1);
        steps = new int[2 * leaves];
        mibs = new int[2 * leaves];
        Arrays.fill(steps, NONE);
        Arrays.fill(mibs, JoinableGpus.NO_MEMORY);
        int largest = 0;
        for (Node node : topology.nodes()) {
            largest = Math.max(largest, node.gpus());
        }
        stepsHere = new int[largest];
        mibsHere = new int[largest];
        for (Node node : topology.nodes()) {
            if (node.type() == type) {
                changed.set(node.index());
            }
        }
    }

    int gang() {
        return gang;
    }

    /** A GPU of this node changed. */
    void update(int node) {
        changed.set(node);
    }

    /** Takes all changes in; before nodes are asked for. */
    void refresh() {
        for (int node = changed.nextSetBit(0); node >= 0; node = changed.nextSetBit(node + 1)) {
            refresh(node);
        }
        changed.clear();
    }

    private void refresh(int node) {
        Node where = topology.node(node);
        int count = 0;
        for (int gpu = where.firstGpu(); gpu < where.firstGpu() + where.gpus(); gpu++) {
            if (gpus.mayJoin(gpu, gang)) {
                stepsHere[count] = gpus.step(gpu);
                mibsHere[count++] = gpus.freeMib(gpu);
            }
        }
        boolean enough = count >= gang;
        if (enough) {
            Arrays.sort(stepsHere, 0, count);
            Arrays.sort(mibsHere, 0, count);
        }
        set(
                leaves + node,
                enough ? stepsHere[gang - 1] : NONE,
                enough ? mibsHere[count - gang] : JoinableGpus.NO_MEMORY);
    }

    private void set(int leaf, int step, int mib) {
        int at = leaf;
        int least = step;
        int most = mib;
        while (at > 0 && (steps[at] != least || mibs[at] != most)) {
            steps[at] = least;
            mibs[at] = most;
            least = Math.min(least, steps[at ^ 1]);
            most = Math.max(most, mibs[at ^ 1]);
            at >>= 1;
        }
    }

    /** The first node from {@code from} on where GPUs of at most this step, and as many with so much memory, suffice; or -1. */
    int next(int from, int step, int mib) {
        int at = leaves + from;
        while (at < 2 * leaves) {
            if (steps[at] <= step && mibs[at] >= mib) {
                if (at >= leaves) {
                    return at - leaves;
                }
                at *= 2;
            } else {
                while ((at & 1) == 1) { // the last of its parent: the next range is its parent's neighbour
                    at >>= 1;
                }
                if (at == 0) {
                    return -1;
                }
                at++;
            }
        }
        return -1;
    }
}
