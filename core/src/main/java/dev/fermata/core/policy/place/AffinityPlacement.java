package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva's placement as the Dally authors simulate it. Jobs of equal size share machines. A job larger than a machine
 * goes wherever there is room, in an order drawn from its id, so the same in every run.
 */
public final class AffinityPlacement implements Placement {
    private final NodeGangSizes nodeGangSizes;

    public AffinityPlacement(NodeGangSizes nodeGangSizes) {
        this.nodeGangSizes = nodeGangSizes;
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = capacity.topology().nodes().size();
        GangCollector collector = new GangCollector(capacity, job, gpus, horizon);
        if (gpus <= capacity.topology().largestNode(type)) {
            int peer = nodeWithEqualGangs(capacity, job, type, gpus, horizon);
            if (peer >= 0) {
                collector.takeFrom(peer);
                return collector.toAllocation();
            }
            if (collector.takeTightest(type, 0, nodes)) {
                return collector.toAllocation();
            }
        }
        long start = Math.floorMod((job.id() * 0x9E3779B97F4A7C15L) >>> 17, (long) nodes);
        long stride = coprime(nodes, job.id());
        for (int i = 0; i < nodes && collector.missing() > 0; i++) {
            int node = (int) ((start + i * stride) % nodes);
            if (capacity.topology().node(node).type() == type) {
                collector.takeFrom(node);
            }
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

    private static long coprime(int nodes, long id) {
        long stride = 1 + Math.floorMod(id * 31, (long) nodes);
        while (gcd(stride, nodes) != 1) {
            stride++;
        }
        return stride;
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
