package dev.fermata.core.policy.tune;

import java.util.HashMap;
import java.util.Map;

/**
 * Whether waiting for a closer place has paid, by size of gang. Patience is a factor on what a closer place would save: it
 * starts at one, where waiting and giving in cost the same at worst, sinks when jobs of that size waited longer than they
 * saved, and rises again when they did not.
 */
public final class WaitPayoff {
    private static final double MIN_PATIENCE = 1.0 / 16;
    private static final double MAX_PATIENCE = 1;
    private static final double DOWN = 0.8;
    private static final double UP = 1.1;

    private final Map<Integer, Double> patience = new HashMap<>();

    /** How much of what a closer place would save a gang of this size should be ready to wait. */
    public double patience(int gangSize) {
        return patience.getOrDefault(gangSize, MAX_PATIENCE);
    }

    /** A gang waited this long and saved that much. Returns whether its patience changed. */
    public boolean learn(int gangSize, double waitedMillis, double savedMillis) {
        double before = patience(gangSize);
        double after = savedMillis > waitedMillis
                ? Math.min(MAX_PATIENCE, before * UP)
                : Math.max(MIN_PATIENCE, before * DOWN);
        patience.put(gangSize, after);
        return after != before;
    }
}
