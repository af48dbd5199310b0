package dev.fermata.research.xion;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.research.Measurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** Summaries of runs by policy, one for each sample: a seed of a generated workload, or a trace. */
final class XionResults {
    static final ToDoubleFunction<MetricsSummary> JCT = s -> s.all().jct().mean();
    static final ToDoubleFunction<MetricsSummary> WAIT = s -> s.all().waiting().mean();

    private final String unit;
    private final Map<String, List<MetricsSummary>> byPolicy = new LinkedHashMap<>();

    /** @param unit what a sample is */
    XionResults(String unit) {
        this.unit = unit;
    }

    /** Adds the next sample of a policy; every policy gets the samples in the same order. */
    void add(String policy, MetricsSummary summary) {
        byPolicy.computeIfAbsent(policy, p -> new ArrayList<>()).add(summary);
    }

    /** The summaries of a policy, sample by sample. */
    List<MetricsSummary> of(String policy) {
        List<MetricsSummary> found = byPolicy.get(policy);
        if (found == null) {
            throw new IllegalStateException("no run of " + policy);
        }
        return found;
    }

    /** Compares two policies sample by sample. */
    Measurement compare(String policy, String other, ToDoubleBiFunction<MetricsSummary, MetricsSummary> measure) {
        List<MetricsSummary> ours = of(policy);
        List<MetricsSummary> theirs = of(other);
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            values.add(measure.applyAsDouble(ours.get(i), theirs.get(i)));
        }
        return Measurement.of(values, unit);
    }

    /** How much shorter the mean completion time is under one policy. */
    Measurement jctReduction(String policy, String other) {
        return compare(policy, other, (ours, theirs) -> 1 - JCT.applyAsDouble(ours) / JCT.applyAsDouble(theirs));
    }

    /** How many times as long jobs wait under the other policy. */
    Measurement waitImprovement(String policy, String other) {
        return compare(policy, other, (ours, theirs) -> WAIT.applyAsDouble(theirs) / WAIT.applyAsDouble(ours));
    }

    double mean(String policy, ToDoubleFunction<MetricsSummary> measure) {
        return of(policy).stream().mapToDouble(measure).average().orElseThrow();
    }
}
