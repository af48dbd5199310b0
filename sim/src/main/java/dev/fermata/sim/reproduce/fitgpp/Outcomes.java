package dev.fermata.sim.reproduce.fitgpp;

import dev.fermata.sim.experiment.Estimate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** What came out, by workload, policy and seed. */
final class Outcomes {
    private record Key(String workload, String policy, long seed) {}

    private final List<Long> seeds;
    private final Map<Key, Outcome> byKey = new LinkedHashMap<>();

    Outcomes(List<Long> seeds) {
        this.seeds = seeds;
    }

    void put(String workload, String policy, long seed, Outcome outcome) {
        byKey.put(new Key(workload, policy, seed), outcome);
    }

    int seeds() {
        return seeds.size();
    }

    private Outcome get(String workload, String policy, long seed) {
        Outcome found = byKey.get(new Key(workload, policy, seed));
        if (found == null) {
            throw new IllegalStateException("no run of " + policy + " on " + workload);
        }
        return found;
    }

    /** A comparison of two policies, seed by seed. */
    Estimate over(String workload, String policy, String other, ToDoubleBiFunction<Outcome, Outcome> measure) {
        return Estimate.of(seeds.stream()
                .map(seed -> measure.applyAsDouble(get(workload, policy, seed), get(workload, other, seed)))
                .toList());
    }

    /** By how much a measure that should be small is smaller under one policy than under another, as a fraction. */
    Estimate reduction(String workload, String policy, String other, ToDoubleFunction<Outcome> measure) {
        return over(workload, policy, other, (ours, theirs) -> reduced(ours, theirs, measure));
    }

    private static double reduced(Outcome ours, Outcome theirs, ToDoubleFunction<Outcome> measure) {
        double reference = measure.applyAsDouble(theirs);
        return reference == 0 ? 0 : 1 - measure.applyAsDouble(ours) / reference;
    }

    double mean(String workload, String policy, ToDoubleFunction<Outcome> measure) {
        return over(workload, policy, policy, (one, same) -> measure.applyAsDouble(one))
                .mean();
    }
}
