package dev.fermata.core.policy.market;

import dev.fermata.core.model.Scramble;

/** Numbers that look random and are a function of the seed alone: SplitMix64 (Steele, Lea, Flood 2014). */
final class Draws {
    private long state;

    Draws(long seed) {
        state = seed;
    }

    private long next() {
        long drawn = Scramble.of(state);
        state += Scramble.STEP;
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
