package dev.fermata.app.run;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.WorkloadInput;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.experiment.Fill;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One cluster, filled from one workload, by several placements and seeds. */
public record Filling(ClusterInput cluster, WorkloadInput workload, double until, int share) {
    /** One placement with one seed. */
    public record Filled(String place, long seed, Fill.Result result) {}

    /** Placement by placement, seed by seed, on as many threads as there are cores; those cut off are left out. */
    public List<Filled> run(List<String> places, List<Long> seeds, Interruption interruption, Consumer<Filled> done) {
        Map<Integer, Filled> filled = new TreeMap<>(IntStream.range(0, places.size() * seeds.size())
                .parallel()
                .filter(i -> !interruption.asked())
                .boxed()
                .collect(Collectors.toConcurrentMap(i -> i, i -> {
                    Filled one = run(places.get(i / seeds.size()), seeds.get(i % seeds.size()), interruption);
                    done.accept(one);
                    return one;
                })));
        return interruption.asked() ? List.of() : List.copyOf(filled.values());
    }

    private Filled run(String place, long seed, Interruption interruption) {
        Fill fill = new Fill(cluster.topology(), workload.workload(cluster.topology(), seed), until, seed);
        return new Filled(place, seed, fill.run(policy(place, seed), interruption::asked));
    }

    /** The order is of no matter; the seed of a random placement goes with that of the arrivals. */
    public PolicySpec policy(String place, long seed) {
        return PolicySpec.parse(
                "fifo:place=" + place + ",share=" + share + ",seed=" + Math.floorMod(seed, Integer.MAX_VALUE));
    }
}
