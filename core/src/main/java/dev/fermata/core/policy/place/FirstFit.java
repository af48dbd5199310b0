package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/** The first node that has room for the whole gang; else whatever is free, node by node. O(nodes) at worst. */
public final class FirstFit implements Placement {
    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        int first = firstNode(space, job, type, gpus, horizon);
        Gather gather = new Gather(space, job, gpus, horizon);
        if (first >= 0) {
            gather.from(first);
        } else {
            for (int node = 0; node < nodes && gather.missing() > 0; node++) {
                if (space.topology().node(node).type() == type) {
                    gather.from(node);
                }
            }
        }
        return gather.done();
    }

    /** The first node with room for all of these GPUs and the CPU and RAM beside them, or -1. */
    static int firstNode(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        int best = nodes;
        for (int c = space.nextCount(type, gpus, horizon); c >= 0; c = space.nextCount(type, c + 1, horizon)) {
            int node = space.nodeWith(type, c, 0, best, horizon);
            while (node >= 0 && space.hostRoom(node, job.job().demand(), horizon) < gpus) {
                node = space.nodeWith(type, c, node + 1, best, horizon);
            }
            best = node >= 0 ? node : best;
        }
        return best < nodes ? best : -1;
    }
}
