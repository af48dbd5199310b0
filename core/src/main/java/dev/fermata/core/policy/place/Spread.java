package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/** The emptiest nodes first: balances heat and neighbours, fragments the cluster. */
public final class Spread implements Placement {
    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        Gather gather = new Gather(space, job, gpus, horizon);
        int nodes = space.topology().nodes().size();
        for (int c = space.previousCount(type, Integer.MAX_VALUE, horizon);
                c > 0 && gather.missing() > 0;
                c = space.previousCount(type, c - 1, horizon)) {
            for (int node = space.nodeWith(type, c, 0, nodes, horizon);
                    node >= 0 && gather.missing() > 0;
                    node = space.nodeWith(type, c, node + 1, nodes, horizon)) {
                gather.from(node);
            }
        }
        return gather.done();
    }
}
