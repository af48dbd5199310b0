package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Rack;
import org.jspecify.annotations.Nullable;

/** Collects a gang node by node, within what the CPU and RAM of each node allow. */
final class GangCollector {
    private final FreeCapacity capacity;
    private final Demand demand;
    private final Horizon horizon;
    private final int[] gpus;
    private int count;
    /** The rack whose nodes it takes, -1 for any. */
    private int onlyRack = -1;

    GangCollector(FreeCapacity capacity, JobView job, int gpus, Horizon horizon) {
        this.capacity = capacity;
        this.demand = job.job().demand();
        this.horizon = horizon;
        this.gpus = new int[gpus];
    }

    /** Takes as many GPUs of this node as are still missing and fit. */
    void takeFrom(int node) {
        takeFrom(node, missing());
    }

    /** How many GPUs of this node fit. */
    int roomOn(int node) {
        if (onlyRack >= 0 && capacity.topology().node(node).rack() != onlyRack) {
            return 0;
        }
        return Math.min(capacity.availableOnNode(node, horizon), capacity.hostCapacityFor(node, demand, horizon));
    }

    /** The same, and no more than {@code atMost}. */
    void takeFrom(int node, int atMost) {
        int take = Math.min(roomOn(node), Math.min(atMost, missing()));
        if (take > 0) {
            capacity.pickGpus(node, take, gpus, count, horizon);
            count += take;
        }
    }

    /** Takes from the nodes in {@code [from, end)} with most available GPUs first, the last piece where it fits tightest. */
    void takeFullestFirst(int type, int from, int end) {
        int largest = capacity.previousAvailableCount(type, Integer.MAX_VALUE, horizon);
        for (int c = largest; c > 0 && missing() > 0; c = capacity.previousAvailableCount(type, c - 1, horizon)) {
            for (int node = capacity.nodeWithAvailable(type, c, from, end, horizon);
                    node >= 0 && missing() > 0;
                    node = capacity.nodeWithAvailable(type, c, node + 1, end, horizon)) {
                if (missing() < c && takeTightest(type, from, end, c - 1)) {
                    return;
                }
                takeFrom(node);
            }
        }
    }

    /** The same from the nodes of one rack alone. */
    void takeFullestFirst(int type, Rack rack) {
        onlyRack = rack.index();
        takeFullestFirst(type, rack.firstNode(), rack.endNode());
    }

    /** Takes all that is missing from the node with the most available GPUs, if one suffices. */
    boolean takeEmptiest(int type) {
        int end = capacity.topology().nodes().size();
        for (int c = capacity.previousAvailableCount(type, Integer.MAX_VALUE, horizon);
                c >= missing();
                c = capacity.previousAvailableCount(type, c - 1, horizon)) {
            for (int node = capacity.nodeWithAvailable(type, c, 0, end, horizon);
                    node >= 0;
                    node = capacity.nodeWithAvailable(type, c, node + 1, end, horizon)) {
                if (capacity.hostCapacityFor(node, demand, horizon) >= missing()) {
                    takeFrom(node);
                    return true;
                }
            }
        }
        return false;
    }

    /** Takes all that is missing from the node with the fewest available GPUs that suffice. */
    boolean takeTightest(int type, int from, int end) {
        return takeTightest(type, from, end, Integer.MAX_VALUE);
    }

    private boolean takeTightest(int type, int from, int end, int atMost) {
        for (int c = capacity.nextAvailableCount(type, missing(), horizon);
                c >= 0 && c <= atMost;
                c = capacity.nextAvailableCount(type, c + 1, horizon)) {
            for (int node = capacity.nodeWithAvailable(type, c, from, end, horizon);
                    node >= 0;
                    node = capacity.nodeWithAvailable(type, c, node + 1, end, horizon)) {
                if (roomOn(node) >= missing()) {
                    takeFrom(node);
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
    Allocation toAllocation() {
        return missing() == 0 ? Allocation.of(capacity.topology(), gpus, false) : null;
    }
}
