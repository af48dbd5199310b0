package dev.fermata.core.model;

/** Numbers that look random and are a function of what they are made from: the finish of SplitMix64 (Steele, Lea, Flood 2014). */
public final class Scramble {
    /** How far apart numbers of a sequence are, to be scrambled one by one. */
    public static final long STEP = 0x9E3779B97F4A7C15L;

    private Scramble() {}

    public static long of(long number) {
        long z = number + STEP;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Another for every pair; the order of the two matters. */
    public static long of(long first, long second) {
        return of(of(first) + second);
    }
}
