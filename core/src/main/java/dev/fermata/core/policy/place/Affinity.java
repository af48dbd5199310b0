package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva's placement as the Dally authors simulate it: jobs of equal size share machines, and a job larger than a
 * machine goes wherever there is room, in an order drawn from its id (a random order that is the same in every run).
 */
public final class Affinity implements Placement {
    private final Neighbours neighbours;

    public Affinity(Neighbours neighbours) {
        this.neighbours = neighbours;
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        Gather gather = new Gather(space, job, gpus, horizon);
        if (gpus <= space.topology().largestNode(type)) {
            int peer = amongEquals(space, job, type, gpus, horizon);
            if (peer >= 0) {
                gather.from(peer);
                return gather.done();
            }
            if (gather.tightest(type, 0, nodes)) {
                return gather.done();
            }
        }
        long start = Math.floorMod((job.id() * 0x9E3779B97F4A7C15L) >>> 17, (long) nodes);
        long stride = coprime(nodes, job.id());
        for (int i = 0; i < nodes && gather.missing() > 0; i++) {
            int node = (int) ((start + i * stride) % nodes);
            if (space.topology().node(node).type() == type) {
                gather.from(node);
            }
        }
        return gather.done();
    }

    private int amongEquals(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int node = neighbours.nextOfSize(gpus, 0);
        while (node >= 0
                && (space.topology().node(node).type() != type
                        || space.onNode(node, horizon) < gpus
                        || space.hostRoom(node, job.job().demand(), horizon) < gpus)) {
            node = neighbours.nextOfSize(gpus, node + 1);
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
