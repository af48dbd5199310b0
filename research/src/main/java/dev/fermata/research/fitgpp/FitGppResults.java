package dev.fermata.research.fitgpp;

import dev.fermata.research.Measurement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** Results by workload, policy and seed. */
final class FitGppResults {
    private record FitGppRunKey(String workload, String policy, long seed) {}

    private final List<Long> seeds;
    private final Map<FitGppRunKey, FitGppOutcome> byKey = new LinkedHashMap<>();

    FitGppResults(List<Long> seeds) {
        this.seeds = seeds;
    }

    void put(String workload, String policy, long seed, FitGppOutcome outcome) {
        byKey.put(new FitGppRunKey(workload, policy, seed), outcome);
    }

    private FitGppOutcome get(String workload, String policy, long seed) {
        FitGppOutcome found = byKey.get(new FitGppRunKey(workload, policy, seed));
        if (found == null) {
            throw new IllegalStateException("no run of " + policy + " on " + workload);
        }
        return found;
    }

    /** A comparison of two policies, seed by seed. */
    Measurement compare(
            String workload, String policy, String other, ToDoubleBiFunction<FitGppOutcome, FitGppOutcome> measure) {
        return Measurement.bySeed(seeds.stream()
                .map(seed -> measure.applyAsDouble(get(workload, policy, seed), get(workload, other, seed)))
                .toList());
    }

    /** By how much a measure that should be small is smaller under one policy than under another, as a fraction. */
    Measurement reduction(String workload, String policy, String other, ToDoubleFunction<FitGppOutcome> measure) {
        return compare(workload, policy, other, (ours, theirs) -> reduced(ours, theirs, measure));
    }

    private static double reduced(FitGppOutcome ours, FitGppOutcome theirs, ToDoubleFunction<FitGppOutcome> measure) {
        double reference = measure.applyAsDouble(theirs);
        return reference == 0 ? 0 : 1 - measure.applyAsDouble(ours) / reference;
    }

    double mean(String workload, String policy, ToDoubleFunction<FitGppOutcome> measure) {
        return compare(workload, policy, policy, (one, same) -> measure.applyAsDouble(one))
                .mean();
    }
}
