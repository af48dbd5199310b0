package dev.fermata.core.model;

/** Deterministic hashes that look random: the finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
public final class Mix64 {
    /** The increment of the sequence that is hashed. */
    public static final long INCREMENT = 0x9E3779B97F4A7C15L;

    private Mix64() {}

    public static long mix(long number) {
        long z = number + INCREMENT;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** A hash of a pair; the order of the two matters. */
    public static long mix(long first, long second) {
        return mix(mix(first) + second);
    }
}
