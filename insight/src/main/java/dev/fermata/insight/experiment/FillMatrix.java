package dev.fermata.insight.experiment;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.WorkloadInput;
import dev.fermata.sim.experiment.FillExperiment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One cluster, filled from one workload, by several placements and seeds. */
public record FillMatrix(ClusterInput cluster, WorkloadInput workload, double until, int share) {
    /** One placement with one seed. */
    public record FillRun(String place, long seed, FillExperiment.FillResult result) {}

    /** Placement by placement, seed by seed, on as many threads as there are cores; those cut off are left out. */
    public List<FillRun> run(List<String> places, List<Long> seeds, Interruption interruption, Consumer<FillRun> done) {
        Map<Integer, FillRun> filled = new TreeMap<>(IntStream.range(0, places.size() * seeds.size())
                .parallel()
                .filter(i -> !interruption.isRequested())
                .boxed()
                .collect(Collectors.toConcurrentMap(i -> i, i -> {
                    FillRun one = run(places.get(i / seeds.size()), seeds.get(i % seeds.size()), interruption);
                    done.accept(one);
                    return one;
                })));
        return interruption.isRequested() ? List.of() : List.copyOf(filled.values());
    }

    private FillRun run(String place, long seed, Interruption interruption) {
        FillExperiment fill =
                new FillExperiment(cluster.topology(), workload.workload(cluster.topology(), seed), until, seed);
        return new FillRun(place, seed, fill.run(policy(place, seed), interruption::isRequested));
    }

    /** Job order does not matter; a random placement uses the seed of the arrivals. */
    public PolicySpec policy(String place, long seed) {
        return PolicySpec.parse(
                "fifo:place=" + place + ",share=" + share + ",seed=" + Math.floorMod(seed, Integer.MAX_VALUE));
    }
}
