package dev.fermata.sim.trace;

import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/** This many of a list, each as likely as any other, in the order of the list. */
public final class RandomSubset {
    private static final long STREAM = 71;

    private RandomSubset() {}

    /** The places of those drawn; {@code requestedCount} must not be more than there are. */
    public static List<Integer> of(int all, int requestedCount, long seed) {
        Rng rng = Rng.stream(seed, STREAM);
        List<Integer> selected = new ArrayList<>(requestedCount);
        for (int i = 0; i < all && selected.size() < requestedCount; i++) {
            // As likely as it must be for the rest to fill what is still missing.
            if (rng.uniform() * (all - i) < requestedCount - selected.size()) {
                selected.add(i);
            }
        }
        return selected;
    }
}
