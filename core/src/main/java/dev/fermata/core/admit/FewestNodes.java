package dev.fermata.core.admit;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import org.jspecify.annotations.Nullable;

/** Finds GPUs for those whom no policy is asked about: on the fullest node that has room for all, else on as few as fullest-first finds. */
public final class FewestNodes {
    private FewestNodes() {}

    /** So many GPUs of a type for this demand, or null. */
    public static @Nullable Allocation find(Space space, Demand demand, int type, int gpus, Horizon horizon) {
        if (space.available(type, horizon) < gpus) {
            return null;
        }
        Allocation one = onOne(space, demand, type, gpus, horizon);
        return one != null ? one : onSeveral(space, demand, type, gpus, horizon);
    }

    private static @Nullable Allocation onOne(Space space, Demand demand, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        for (int count = space.nextCount(type, gpus, horizon);
                count >= 0;
                count = space.nextCount(type, count + 1, horizon)) {
            for (int node = space.nodeWith(type, count, 0, nodes, horizon);
                    node >= 0;
                    node = space.nodeWith(type, count, node + 1, nodes, horizon)) {
                if (!demand.needsHost() || space.hostRoom(node, demand, horizon) >= gpus) {
                    int[] picked = new int[gpus];
                    space.pick(node, gpus, picked, 0, horizon);
                    return Allocation.of(space.topology(), picked, false);
                }
            }
        }
        return null;
    }

    private static @Nullable Allocation onSeveral(Space space, Demand demand, int type, int gpus, Horizon horizon) {
        int[] picked = new int[gpus];
        int n = 0;
        int nodes = space.topology().nodes().size();
        for (int count = space.previousCount(type, Integer.MAX_VALUE - 1, horizon);
                count > 0 && n < gpus;
                count = space.previousCount(type, count - 1, horizon)) {
            for (int node = space.nodeWith(type, count, 0, nodes, horizon);
                    node >= 0 && n < gpus;
                    node = space.nodeWith(type, count, node + 1, nodes, horizon)) {
                int take = Math.min(Math.min(count, gpus - n), space.hostRoom(node, demand, horizon));
                space.pick(node, take, picked, n, horizon);
                n += take;
            }
        }
        return n == gpus ? Allocation.of(space.topology(), picked, false) : null;
    }
}
