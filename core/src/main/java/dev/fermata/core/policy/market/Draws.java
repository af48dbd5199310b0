package dev.fermata.core.policy.market;

import dev.fermata.core.model.Scramble;

/** Numbers that look random and are a function of the seed alone: SplitMix64 (Steele, Lea, Flood 2014). */
final class Draws {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private long state;

    Draws(long seed) {
        state = seed;
    }

    private long next() {
        long drawn = Scramble.of(state);
        state += STEP;
        return drawn;
    }

    /** In [0, bound). */
    int below(int bound) {
        return (int) Math.floorMod(next(), (long) bound);
    }

    /** In [0, 1). */
    double uniform() {
        return (next() >>> 11) * 0x1p-53;
    }
}
