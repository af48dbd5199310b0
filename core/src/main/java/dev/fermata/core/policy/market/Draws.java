package dev.fermata.core.policy.market;

/** Numbers that look random and are a function of the seed alone: SplitMix64 (Steele, Lea, Flood 2014). */
final class Draws {
    private long state;

    Draws(long seed) {
        state = seed;
    }

    private long next() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
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
