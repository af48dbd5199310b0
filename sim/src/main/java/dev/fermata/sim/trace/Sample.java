package dev.fermata.sim.trace;

import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/** So many of a list, each as likely as any other, in the order of the list. */
public final class Sample {
    private static final long STREAM = 71;

    private Sample() {}

    /** The places of those drawn; {@code wanted} must not be more than there are. */
    public static List<Integer> of(int all, int wanted, long seed) {
        Rng rng = Rng.stream(seed, STREAM);
        List<Integer> drawn = new ArrayList<>(wanted);
        for (int i = 0; i < all && drawn.size() < wanted; i++) {
            // As likely as it must be for the rest to fill what is still missing.
            if (rng.uniform() * (all - i) < wanted - drawn.size()) {
                drawn.add(i);
            }
        }
        return drawn;
    }
}
