package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How much of what is free is of no use to a job drawn from these, by the measure that {@link LeastFragmentation} descends. */
public final class FragmentationMeasure {
    private final List<TaskMix.CommonShape> mix;

    public FragmentationMeasure(Topology topology, Collection<Demand> demands) {
        Map<TaskMix.TaskShape, Integer> counts = new HashMap<>();
        for (Demand demand : demands) {
            counts.merge(TaskMix.TaskShape.of(demand, demand.eligibleTypes(topology)), 1, Integer::sum);
        }
        mix = TaskMix.shares(counts, 1);
    }

    /** In GPUs. */
    public double measure(FreeCapacity capacity) {
        double sum = 0;
        for (Node node : capacity.topology().nodes()) {
            sum += NodeRemainder.of(capacity, node, Horizon.NOW).unusableFor(mix);
        }
        return sum / 1000;
    }
}
