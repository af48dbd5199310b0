package dev.fermata.sim.laws;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Trait;

/**
 * What a policy allows itself, read from its name and knobs: some laws are milder for it.
 *
 * @param consolidates insists on closeness
 * @param shares puts jobs beside each other on one GPU
 * @param weighs pauses nobody unless the gain exceeds the cost
 * @param waits may let anybody wait beside free GPUs, for the first in line or for closeness
 * @param splitsWork gives a gang GPUs of several types
 * @param trialsFirst batch jobs stand in one line that its head blocks; trial jobs do not
 */
record Habits(
        boolean consolidates, boolean shares, boolean weighs, boolean waits, boolean trialsFirst, boolean splitsWork) {

    static Habits of(String policy) {
        boolean trialsFirst = policy.matches("(fitgpp|lrtp|rand)\\b.*");
        boolean closeByDefault = policy.matches("(consolidate|dally|fermata)\\b.*") || trialsFirst;
        boolean consolidates = policy.matches(".*place=(consolidate|first-node|delay|break-even|skew|random|fgd).*")
                || (closeByDefault && !policy.contains("place="));
        boolean blocks = policy.matches("(fifo|xonar).*|.*block.*");
        return new Habits(
                consolidates,
                policy.contains("share=") || policy.startsWith("fermata"),
                PolicySpec.parse(policy).has(Trait.WEIGHS),
                blocks || consolidates,
                trialsFirst,
                PolicySpec.parse(policy).mixedGangs());
    }
}
