package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How much of what is free is of no use to a job drawn from these, by the measure that {@link LeastFragmentation} descends. */
public final class Fragments {
    private final List<TaskMix.Usual> mix;

    public Fragments(Topology topology, Collection<Demand> demands) {
        Map<TaskMix.Shape, Integer> counts = new HashMap<>();
        for (Demand demand : demands) {
            counts.merge(TaskMix.Shape.of(demand, demand.eligibleTypes(topology)), 1, Integer::sum);
        }
        mix = TaskMix.shares(counts, 1);
    }

    /** In GPUs. */
    public double of(Space space) {
        double sum = 0;
        for (Node node : space.topology().nodes()) {
            sum += Remainder.of(space, node, Horizon.NOW).uselessTo(mix);
        }
        return sum / 1000;
    }
}
