package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import org.jspecify.annotations.Nullable;

/**
 * Together or not at all, like {@link Consolidate}, but on the first node that has room rather than the fullest. This
 * is the first fit of a scheduler that never splits a job. Leaves more fragments behind. O(nodes) at worst.
 */
public final class FirstNodeFit implements Placement {
    private final Consolidate consolidate = new Consolidate();

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return consolidate.requiresOneNode(capacity, job, type, gpus);
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        if (!requiresOneNode(capacity, job, type, gpus)) {
            return consolidate.choose(capacity, job, type, gpus, horizon);
        }
        int first = FirstFit.firstNode(capacity, job, type, gpus, horizon);
        if (first < 0) {
            return null;
        }
        GangCollector collector = new GangCollector(capacity, job, gpus, horizon);
        collector.takeFrom(first);
        return collector.toAllocation();
    }
}
