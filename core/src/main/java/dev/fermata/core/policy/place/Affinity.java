package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva's placement as the Dally authors simulate it: jobs of equal size share machines, and a job larger than a
 * machine goes wherever there is room, in an order drawn from its id (a random order that is the same in every run).
 */
public final class Affinity implements Placement {
    private final IntUnaryOperator sizeOnNode;

    /** @param sizeOnNode gang size of the jobs on a node; 0 when it is empty */
    public Affinity(IntUnaryOperator sizeOnNode) {
        this.sizeOnNode = sizeOnNode;
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        Gather gather = new Gather(space, job, gpus, horizon);
        if (gpus <= space.topology().largestNode(type)) {
            int best = -1;
            int bestClass = Integer.MAX_VALUE;
            for (int c = space.nextCount(type, gpus, horizon); c >= 0; c = space.nextCount(type, c + 1, horizon)) {
                for (int node = space.nodeWith(type, c, 0, nodes, horizon);
                        node >= 0 && bestClass > 0;
                        node = space.nodeWith(type, c, node + 1, nodes, horizon)) {
                    int size = sizeOnNode.applyAsInt(node);
                    int affinity = size == gpus ? 0 : size == 0 ? 1 : 2;
                    if (affinity < bestClass && space.hostRoom(node, job.job().demand(), horizon) >= gpus) {
                        best = node;
                        bestClass = affinity;
                    }
                }
            }
            if (best >= 0) {
                gather.from(best);
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
