package dev.fermata.core.admit;

/** Divides whole GPUs by weight among those who want some, never more than each wants. Exact: the same answer for the same question. */
final class WaterFilling {
    private WaterFilling() {}

    /**
     * Everybody has {@code given} already. One GPU after the other goes to whoever would have fewest for his weight, the first
     * among equals, until nothing is left or nobody wants more; what was given before does not count in that.
     *
     * @param given what each has; the answer is added to it
     * @param wants what each wants in all
     */
    static void pour(int amount, double[] weights, int[] given, int[] wants) {
        int[] extra = new int[given.length];
        int left = amount - floors(amount, weights, given, wants, extra);
        while (left > 0) {
            int next = -1;
            for (int i = 0; i < given.length; i++) {
                if (given[i] + extra[i] < wants[i]
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
     * What nobody can miss: the whole part of a fair division in fractions. Going one by one gives each at least that, so
     * starting there changes nothing but the time it takes. Answers how much was given out.
     */
    private static int floors(int amount, double[] weights, int[] given, int[] wants, int[] extra) {
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
                if (!full[i] && wants[i] - given[i] <= level * weights[i]) {
                    full[i] = true;
                    left -= Math.max(0, wants[i] - given[i]);
                    changed = true;
                }
            }
        }
        int sum = 0;
        for (int i = 0; i < given.length; i++) {
            double fair = full[i] ? wants[i] - given[i] : Math.floor(level * weights[i]);
            extra[i] = (int) Math.max(0, fair - 1); // one less, in case the fraction was rounded up
            sum += extra[i];
        }
        return sum;
    }
}
