package dev.fermata.core.admission;

/** Divides whole GPUs by weight among several demands, never more than each demand. Exact and deterministic. */
final class WaterFilling {
    private WaterFilling() {}

    /**
     * Each has {@code given} already. One GPU after the other goes to the one that has fewest for its weight, the first among
     * equals, until nothing is left or no demand is open; what was given before does not count in that.
     *
     * @param given what each has; the answer is added to it
     * @param demands what each requests in all
     */
    static void fill(int amount, double[] weights, int[] given, int[] demands) {
        int[] extra = new int[given.length];
        int left = amount - floors(amount, weights, given, demands, extra);
        while (left > 0) {
            int next = -1;
            for (int i = 0; i < given.length; i++) {
                if (given[i] + extra[i] < demands[i]
                        && (next < 0 || (extra[i] + 1.0) * weights[next] < (extra[next] + 1.0) * weights[i])) {
                    next = i;
                }
            }
            if (next < 0) {
                break;
            }
            extra[next]++;
            left--;
        }
        for (int i = 0; i < given.length; i++) {
            given[i] += extra[i];
        }
    }

    /**
     * What each gets in any case: the whole part of a fair division in fractions. Going one by one gives each at least that, so
     * starting there changes nothing but the time it takes. Returns how much was given out.
     */
    private static int floors(int amount, double[] weights, int[] given, int[] demands, int[] extra) {
        boolean[] full = new boolean[given.length];
        double left = amount;
        boolean changed = true;
        double level = 0;
        while (changed) {
            changed = false;
            double weight = 0;
            for (int i = 0; i < given.length; i++) {
                weight += full[i] ? 0 : weights[i];
            }
            level = weight > 0 ? Math.max(0, left) / weight : 0;
            for (int i = 0; i < given.length; i++) {
                if (!full[i] && demands[i] - given[i] <= level * weights[i]) {
                    full[i] = true;
                    left -= Math.max(0, demands[i] - given[i]);
                    changed = true;
                }
            }
        }
        int sum = 0;
        for (int i = 0; i < given.length; i++) {
            double fair = full[i] ? demands[i] - given[i] : Math.floor(level * weights[i]);
            extra[i] = (int) Math.max(0, fair - 1); // one less, in case the fraction was rounded up
            sum += extra[i];
        }
        return sum;
    }
}
