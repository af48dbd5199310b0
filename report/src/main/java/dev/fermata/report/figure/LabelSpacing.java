package dev.fermata.report.figure;

import java.util.Arrays;
import java.util.Comparator;

/** Moves labels up and down so that none overlaps another. */
final class LabelSpacing {
    private LabelSpacing() {}

    /** Places near the given ones, at least so far from each other, in the same order, between two edges as far as they fit. */
    static double[] spreadLabels(double[] wanted, double distance, double top, double bottom) {
        Integer[] order = new Integer[wanted.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble((Integer i) -> wanted[i]).thenComparingInt(i -> i));
        double[] placed = new double[wanted.length];
        double free = top;
        for (int i : order) {
            placed[i] = Math.max(wanted[i], free);
            free = placed[i] + distance;
        }
        double last = bottom;
        for (int k = order.length - 1; k >= 0; k--) {
            placed[order[k]] = Math.min(placed[order[k]], last);
            last = placed[order[k]] - distance;
        }
        return placed;
    }
}
