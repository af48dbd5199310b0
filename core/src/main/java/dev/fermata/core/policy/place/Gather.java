package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import org.jspecify.annotations.Nullable;

/** Collects a gang node by node, within what the CPU and RAM of each node allow. */
final class Gather {
    private final Space space;
    private final Demand demand;
    private final Horizon horizon;
    private final int[] gpus;
    private int count;

    Gather(Space space, JobView job, int gpus, Horizon horizon) {
        this.space = space;
        this.demand = job.job().demand();
        this.horizon = horizon;
        this.gpus = new int[gpus];
    }

    /** Takes as many GPUs of this node as are still missing and fit. */
    void from(int node) {
        int room = Math.min(space.onNode(node, horizon), space.hostRoom(node, demand, horizon));
        int take = Math.min(room, missing());
        if (take > 0) {
            space.pick(node, take, gpus, count, horizon);
            count += take;
        }
    }

    /** Takes from the nodes in {@code [from, end)} with most available GPUs first, the last piece where it fits tightest. */
    void fullestFirst(int type, int from, int end) {
        int largest = space.previousCount(type, Integer.MAX_VALUE, horizon);
        for (int c = largest; c > 0 && missing() > 0; c = space.previousCount(type, c - 1, horizon)) {
            for (int node = space.nodeWith(type, c, from, end, horizon);
                    node >= 0 && missing() > 0;
                    node = space.nodeWith(type, c, node + 1, end, horizon)) {
                if (missing() < c && tightest(type, from, end, c - 1)) {
                    return;
                }
                from(node);
            }
        }
    }

    /** Takes all that is missing from the node with the fewest available GPUs that suffice. */
    boolean tightest(int type, int from, int end) {
        return tightest(type, from, end, Integer.MAX_VALUE);
    }

    private boolean tightest(int type, int from, int end, int atMost) {
        for (int c = space.nextCount(type, missing(), horizon);
                c >= 0 && c <= atMost;
                c = space.nextCount(type, c + 1, horizon)) {
            for (int node = space.nodeWith(type, c, from, end, horizon);
                    node >= 0;
                    node = space.nodeWith(type, c, node + 1, end, horizon)) {
                if (space.hostRoom(node, demand, horizon) >= missing()) {
                    from(node);
                    return true;
                }
            }
        }
        return false;
    }

    int missing() {
        return gpus.length - count;
    }

    @Nullable
    Allocation done() {
        return missing() == 0 ? Allocation.of(space.topology(), gpus, false) : null;
    }
}
