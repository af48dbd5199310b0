package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Rack;
import org.jspecify.annotations.Nullable;

/**
 * As close together as what is free allows, leaving as little waste as possible: the fullest node that has room, else
 * the rack with least to spare, else anything. Never refuses for the sake of closeness.
 */
public final class BestFit implements Placement {
    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int nodes = space.topology().nodes().size();
        Gather one = new Gather(space, job, gpus, horizon);
        if (one.tightest(type, 0, nodes)) {
            return one.done();
        }
        Allocation inRack = inTightestRack(space, job, type, gpus, horizon);
        if (inRack != null) {
            return inRack;
        }
        Gather anywhere = new Gather(space, job, gpus, horizon);
        anywhere.fullestFirst(type, 0, nodes);
        return anywhere.done();
    }

    /** The rack with least to spare; others after it only where CPU or RAM may be what is missing. */
    static @Nullable Allocation inTightestRack(Space space, JobView job, int type, int gpus, Horizon horizon) {
        int least = gpus;
        while (true) {
            Rack best = null;
            int bestFree = Integer.MAX_VALUE;
            for (Rack rack : space.topology().racks()) {
                int free = space.inRack(rack.index(), type, horizon);
                if (free >= least && free < bestFree) {
                    best = rack;
                    bestFree = free;
                }
            }
            if (best == null) {
                return null;
            }
            for (int r = best.index(); r < space.topology().racks().size(); r++) {
                Rack rack = space.topology().racks().get(r);
                if (space.inRack(r, type, horizon) == bestFree) {
                    Gather gather = new Gather(space, job, gpus, horizon);
                    gather.fullestFirst(type, rack.firstNode(), rack.endNode());
                    Allocation found = gather.done();
                    if (found != null) {
                        return found;
                    }
                }
            }
            least = bestFree + 1;
        }
    }
}
