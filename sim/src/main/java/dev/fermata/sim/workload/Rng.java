package dev.fermata.sim.workload;

/**
 * Seeded random numbers, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014) and strict mathematics only.
 */
public final class Rng {
    private long state;
    private double spareGaussian = Double.NaN;

    public Rng(long seed) {
        state = seed;
    }

    /** An independent stream for one purpose or one part. */
    public static Rng stream(long seed, long index) {
        Rng mixer = new Rng(seed * 0x9E3779B97F4A7C15L + index);
        mixer.nextLong();
        return new Rng(mixer.nextLong());
    }

    public long nextLong() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Uniform in [0, 1). */
    public double uniform() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    /** Uniform in 0 .. bound-1. */
    public int uniformInt(int bound) {
        return (int) (uniform() * bound);
    }

    public double exponential(double mean) {
        return -mean * StrictMath.log(1 - uniform());
    }

    public double gaussian() {
        if (!Double.isNaN(spareGaussian)) {
            double spare = spareGaussian;
            spareGaussian = Double.NaN;
            return spare;
        }
        double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - uniform()));
        double angle = 2 * StrictMath.PI * uniform();
        spareGaussian = radius * StrictMath.sin(angle);
        return radius * StrictMath.cos(angle);
    }

    /** Log-normal with this median and this standard deviation of the logarithm. */
    public double logNormal(double median, double sigma) {
        return median * StrictMath.exp(sigma * gaussian());
    }

    /** An index drawn in proportion to the weights. */
    public int weightedIndex(double... weights) {
        double sum = 0;
        for (double w : weights) {
            sum += w;
        }
        double at = uniform() * sum;
        for (int i = 0; i < weights.length - 1; i++) {
            at -= weights[i];
            if (at < 0) {
                return i;
            }
        }
        return weights.length - 1;
    }
}
