package dev.fermata.research;

import dev.fermata.sim.experiment.ConfidenceInterval;
import java.util.OptionalDouble;

/**
 * One claim and the measured result: ratios as fractions, improvements positive.
 *
 * @param published what the paper says; absent where the claim is ours
 * @param holds whether the target is met: the published figure, or ours where none is published
 * @param note where it differs and why, in a sentence; may be empty
 */
public record Finding(
        String paper,
        String metric,
        String policy,
        String baseline,
        OptionalDouble published,
        ConfidenceInterval measured,
        boolean holds,
        int seeds,
        String setting,
        String note) {
    /** How far the combined policy may be behind a paper's own policy on that paper's measure. */
    public static final double ALLOWED_LAG = 0.03;
}
