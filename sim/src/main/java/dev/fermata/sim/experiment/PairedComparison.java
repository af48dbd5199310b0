package dev.fermata.sim.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Two policies on the same workloads, compared seed by seed: how much lower or higher the values of one are. That says
 * far more than two means with their intervals, since a seed mostly affects both alike.
 *
 * @param change relative to the baseline: −0.2 is a fifth lower
 * @param seedPairs seeds that both have
 * @param lower seeds on which the value is below the baseline's
 * @param higher seeds on which it is above
 */
public record PairedComparison(ConfidenceInterval change, int seedPairs, int lower, int higher) {

    /** Values by seed; a seed that only one has, or where the baseline is 0, is left out. */
    public static PairedComparison of(Map<Long, Double> baseline, Map<Long, Double> values) {
        List<Double> changes = new ArrayList<>();
        values.forEach((seed, value) -> {
            Double reference = baseline.get(seed);
            if (reference != null && reference > 0) {
                changes.add(value / reference - 1);
            }
        });
        return new PairedComparison(
                ConfidenceInterval.of(changes),
                changes.size(),
                (int) changes.stream().filter(c -> c < 0).count(),
                (int) changes.stream().filter(c -> c > 0).count());
    }

    /**
     * Whether the 95 % interval of the change leaves out zero. One pair alone says nothing about chance, and neither do
     * pairs that are all the same: there the seed changes nothing, and they are one pair many times.
     */
    public boolean isSignificant() {
        return change.halfWidth() > 0 && Math.abs(change.mean()) > change.halfWidth();
    }
}
