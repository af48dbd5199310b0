package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Tier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva's placement as the Dally authors simulate it. A gang that fits on a machine waits for one: a machine with gangs
 * of its size, else the one with most free GPUs. A larger gang goes to random free GPUs, in an order drawn from its id,
 * so the same in every run. O(free GPUs · log) for a larger gang.
 */
public final class AffinityPlacement implements Placement {
    private static final int NODE_BITS = 24;
    private static final long NODE_MASK = (1L << NODE_BITS) - 1;

    private final NodeGangSizes nodeGangSizes;
    private final TierPlacement tiers = new TierPlacement();

    public AffinityPlacement(NodeGangSizes nodeGangSizes) {
        this.nodeGangSizes = nodeGangSizes;
    }

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return tiers.requiresOneNode(capacity, job, type, gpus, Tier.NODE);
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        GangCollector collector = new GangCollector(capacity, job, gpus, horizon);
        if (requiresOneNode(capacity, job, type, gpus)) {
            int peer = nodeWithEqualGangs(capacity, job, type, gpus, horizon);
            if (peer >= 0) {
                collector.takeFrom(peer);
            } else {
                collector.takeEmptiest(type);
            }
        } else {
            takeRandom(collector, capacity, job.id(), type);
        }
        return collector.toAllocation();
    }

    private int nodeWithEqualGangs(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        int node = nodeGangSizes.nextOfSize(gpus, 0);
        while (node >= 0
                && (capacity.topology().node(node).type() != type
                        || capacity.availableOnNode(node, horizon) < gpus
                        || capacity.hostCapacityFor(node, job.job().demand(), horizon) < gpus)) {
            node = nodeGangSizes.nextOfSize(gpus, node + 1);
        }
        return node;
    }

    /** Every free GPU draws a number; the smallest win. */
    private static void takeRandom(GangCollector collector, FreeCapacity capacity, long id, int type) {
        int nodes = capacity.topology().nodes().size();
        long[] draws = new long[capacity.topology().gpuCount()];
        int count = 0;
        for (int node = 0; node < nodes; node++) {
            int room = capacity.topology().node(node).type() == type ? collector.roomOn(node) : 0;
            for (int k = 0; k < room; k++) {
                draws[count++] = (scramble(id, ((long) node << NODE_BITS) | k) & ~NODE_MASK) | node;
            }
        }
        if (count < collector.missing()) {
            return;
        }
        Arrays.sort(draws, 0, count);
        int[] taken = new int[nodes];
        for (int i = 0; i < collector.missing(); i++) {
            taken[(int) (draws[i] & NODE_MASK)]++;
        }
        for (int node = 0; node < nodes; node++) {
            collector.takeFrom(node, taken[node]);
        }
    }

    /** Splitmix of a job and a place. */
    private static long scramble(long id, long place) {
        long z = (id + 1) * 0x9E3779B97F4A7C15L + place * 0xD1B54A32D192ED03L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
