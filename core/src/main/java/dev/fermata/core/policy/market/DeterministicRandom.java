package dev.fermata.core.policy.market;

import dev.fermata.core.model.Mix64;

/** Numbers that look random and are a function of the seed alone: SplitMix64 (Steele, Lea, Flood 2014). */
final class DeterministicRandom {
    private long state;

    DeterministicRandom(long seed) {
        state = seed;
    }

    private long nextLong() {
        long drawn = Mix64.mix(state);
        state += Mix64.INCREMENT;
        return drawn;
    }

    /** In [0, bound). */
    int nextInt(int bound) {
        return (int) Math.floorMod(nextLong(), (long) bound);
    }

    /** In [0, 1). */
    double nextDouble() {
        return (nextLong() >>> 11) * 0x1p-53;
    }
}
