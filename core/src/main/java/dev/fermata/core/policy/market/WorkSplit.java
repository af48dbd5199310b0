package dev.fermata.core.policy.market;

/** Whole samples for each worker, in proportion to throughput: the largest remainder gets the sample that is left over. */
public final class WorkSplit {
    private WorkSplit() {}

    /** Samples of each worker; they add up to {@code samples}. Equal remainders go to the worker named first. */
    public static long[] of(long samples, double[] rates) {
        double sum = 0;
        for (double rate : rates) {
            if (!(rate >= 0)) {
                throw new IllegalArgumentException("throughput (" + rate + ") must not be negative");
            }
            sum += rate;
        }
        if (!(sum > 0)) {
            throw new IllegalArgumentException("samples need at least one worker with a throughput above zero");
        }
        long[] share = new long[rates.length];
        double[] remainder = new double[rates.length];
        long left = samples;
        for (int k = 0; k < rates.length; k++) {
            double exact = samples * (rates[k] / sum);
            share[k] = (long) Math.floor(exact);
            remainder[k] = rates[k] > 0 ? exact - share[k] : -1;
            left -= share[k];
        }
        for (; left > 0; left--) {
            int largest = 0;
            for (int k = 1; k < rates.length; k++) {
                if (remainder[k] > remainder[largest]) {
                    largest = k;
                }
            }
            share[largest]++;
            remainder[largest]--;
        }
        return share;
    }
}
