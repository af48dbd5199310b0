package dev.fermata.bench.torture;

import java.util.List;
import java.util.SplittableRandom;

/** Draws what a simulated world needs, from one seed. */
final class Chance {
    private final SplittableRandom random;

    Chance(SplittableRandom random) {
        this.random = random;
    }

    /** An independent stream. */
    Chance split() {
        return new Chance(random.split());
    }

    SplittableRandom random() {
        return random;
    }

    boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** From low to high, both included, small values as frequent as large ones. */
    long logUniform(long low, long high) {
        double lowest = StrictMath.log((double) low);
        double exponent = lowest + random.nextDouble() * (StrictMath.log((double) high) - lowest);
        return Math.max(low, Math.min(high, Math.round(StrictMath.exp(exponent))));
    }

    <T> T of(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
