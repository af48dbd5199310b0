package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/**
 * Together or not at all, like {@link Consolidate}, but on the first node that has room rather than the fullest: first fit
 * as a scheduler does it that never splits a job. Leaves more fragments behind. O(nodes) at worst.
 */
public final class FirstNode implements Placement {
    private final Consolidate together = new Consolidate();

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return together.onOneNode(space, job, type, gpus);
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        if (!onOneNode(space, job, type, gpus)) {
            return together.choose(space, job, type, gpus, horizon);
        }
        int first = FirstFit.firstNode(space, job, type, gpus, horizon);
        if (first < 0) {
            return null;
        }
        Gather gather = new Gather(space, job, gpus, horizon);
        gather.from(first);
        return gather.done();
    }
}
