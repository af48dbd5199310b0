package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Rack;
import org.jspecify.annotations.Nullable;

/**
 * As close together as the free GPUs allow, with as little waste as possible. It takes the fullest node that has room,
 * else the rack with least to spare, else anything. Never rejects a place for its distance.
 */
public final class BestFit implements Placement {
    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = capacity.topology().nodes().size();
        GangCollector one = new GangCollector(capacity, job, gpus, horizon);
        if (one.takeTightest(type, 0, nodes)) {
            return one.toAllocation();
        }
        Allocation inRack = inTightestRack(capacity, job, type, gpus, horizon);
        if (inRack != null) {
            return inRack;
        }
        GangCollector anywhere = new GangCollector(capacity, job, gpus, horizon);
        anywhere.takeFullestFirst(type, 0, nodes);
        return anywhere.toAllocation();
    }

    /** The rack with least to spare; others after it only where CPU or RAM may be what is missing. */
    static @Nullable Allocation inTightestRack(
            FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        int min = gpus;
        while (true) {
            Rack best = null;
            int bestFree = Integer.MAX_VALUE;
            for (Rack rack : capacity.topology().racks()) {
                int free = capacity.availableInRack(rack.index(), type, horizon);
                if (free >= min && free < bestFree) {
                    best = rack;
                    bestFree = free;
                }
            }
            if (best == null) {
                return null;
            }
            for (int r = best.index(); r < capacity.topology().racks().size(); r++) {
                Rack rack = capacity.topology().racks().get(r);
                if (capacity.availableInRack(r, type, horizon) == bestFree) {
                    GangCollector collector = new GangCollector(capacity, job, gpus, horizon);
                    collector.takeFullestFirst(type, rack);
                    Allocation found = collector.toAllocation();
                    if (found != null) {
                        return found;
                    }
                }
            }
            min = bestFree + 1;
        }
    }
}
