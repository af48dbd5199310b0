package dev.fermata.live.progress;

import java.util.ArrayDeque;
import java.util.Deque;

/** The total of a counter whose lines state only the time to the end. It is what is done, and that time over the time of a unit. */
final class EtaTotals {
    private static final int MAX_SAMPLES = 15;
    private static final int MIN_SAMPLES = 3;
    private static final double SPREAD = 1.1;

    private final Deque<Double> latest = new ArrayDeque<>();

    void add(double total) {
        latest.addLast(total);
        if (latest.size() > MAX_SAMPLES) {
            latest.removeFirst();
        }
    }

    /** The median of the latest; 0 while there are few, or while they disagree. */
    double median() {
        if (latest.size() < MIN_SAMPLES) {
            return 0;
        }
        double[] sorted = latest.stream().mapToDouble(each -> each).sorted().toArray();
        double low = sorted[sorted.length / 4];
        double high = sorted[sorted.length - 1 - sorted.length / 4];
        return high > SPREAD * low ? 0 : sorted[sorted.length / 2];
    }
}
