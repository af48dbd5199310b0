package dev.fermata.core.policy.tune;

import java.util.Arrays;

/**
 * How long jobs really run, in multiples of what was expected of them, learned from ended jobs. It estimates how much work a
 * job of a given age still takes: the least expected work per completion over all
 * horizons, the inverse of the Gittins index. When expectations are exact this is what remains; when nothing is known
 * about single jobs it follows the run times of all of them.
 *
 * <p>Refreshing costs O(buckets · samples) and happens when the number of ended jobs has grown by a quarter.
 */
public final class RuntimeRatios {
    private static final int MIN_SAMPLES = 30;
    private static final int MAX_SAMPLES = 1024;
    /** Ages are counted in steps of a factor of the square root of two, from 1/64 to 64 times the expectation. */
    private static final int STEPS = 24;

    private static final double FIRST_BOUNDARY = 1.0 / 64;
    /** Expectations count as exact when nine in ten jobs come this close to them. */
    private static final double EXACT = 1.05;

    private final double[] samples = new double[MAX_SAMPLES];
    private final double[] boundary = new double[STEPS + 1];
    private final double[] work = new double[STEPS + 2];
    private int sampleCount;
    private int refreshedAt;
    private boolean exact = true;

    public RuntimeRatios() {
        for (int k = 0; k <= STEPS; k++) {
            boundary[k] = FIRST_BOUNDARY * StrictMath.pow(2, k / 2.0);
        }
    }

    /** A job ended after this multiple of what was expected. Returns whether what is known about all jobs changed. */
    public boolean learn(double ratio) {
        samples[sampleCount++ % MAX_SAMPLES] = ratio;
        if (sampleCount < MIN_SAMPLES || sampleCount < refreshedAt + refreshedAt / 4) {
            return false;
        }
        refreshedAt = sampleCount;
        double[] sorted = Arrays.copyOf(samples, Math.min(sampleCount, MAX_SAMPLES));
        Arrays.sort(sorted);
        boolean wasExact = exact;
        exact = sorted[(int) (sorted.length * 0.95)] <= EXACT && sorted[(int) (sorted.length * 0.05)] >= 1 / EXACT;
        for (int k = 0; k < work.length && !exact; k++) {
            work[k] = minWorkPerCompletion(sorted, k == 0 ? 0 : boundary[k - 1]);
        }
        return !exact || !wasExact;
    }

    /** Whether expectations may be taken at their word; so they are until enough jobs ended. */
    public boolean isExact() {
        return exact;
    }

    /** Work per completion of a job of this age; both in multiples of what was expected of it. */
    public double remaining(double age) {
        return work[stepOf(age)];
    }

    /** The next age at which the answer changes. */
    public double nextBoundary(double age) {
        int step = stepOf(age);
        return step < boundary.length ? boundary[step] : Double.POSITIVE_INFINITY;
    }

    private int stepOf(double age) {
        int k = Arrays.binarySearch(boundary, age);
        return k >= 0 ? k + 1 : -k - 1;
    }

    /** Least {@code E[min(S-a, d)] / P(S <= a+d)} over horizons d that end at a sample; beyond all samples, twice the age. */
    public static double minWorkPerCompletion(double[] sorted, double age) {
        int first = 0;
        while (first < sorted.length && sorted[first] <= age) {
            first++;
        }
        int alive = sorted.length - first;
        if (alive == 0) {
            return 2 * age;
        }
        double spent = 0;
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < alive; i++) {
            double horizon = sorted[first + i] - age;
            best = Math.min(best, (spent + horizon * (alive - i)) / (i + 1));
            spent += horizon;
        }
        return best;
    }
}
