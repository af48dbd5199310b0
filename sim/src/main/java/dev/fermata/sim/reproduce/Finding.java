package dev.fermata.sim.reproduce;

import dev.fermata.sim.experiment.Estimate;
import java.util.OptionalDouble;

/**
 * One claim beside what came out: ratios as fractions, improvements positive.
 *
 * @param published what the paper says; absent where the claim is ours
 * @param holds whether the bar is met: the published figure, or ours where none is published
 * @param note where it differs and why, in a sentence; empty when there is nothing to say
 */
public record Finding(
        String paper,
        String metric,
        String policy,
        String baseline,
        OptionalDouble published,
        Estimate measured,
        boolean holds,
        int seeds,
        String setting,
        String note) {
    /** How far the combined policy may stay behind a paper's own on its own measure. */
    public static final double ALLOWED_LAG = 0.03;
}
