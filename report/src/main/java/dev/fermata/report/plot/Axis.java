package dev.fermata.report.plot;

import java.util.ArrayList;
import java.util.List;

/** Maps values to a place between two edges of a drawing, and knows round values to label. */
public record Axis(double from, double to, double begin, double end) {

    /** An axis that shows all these values and a little beyond; a single value stands in the middle. */
    public static Axis around(List<Double> values, double begin, double end) {
        double low = values.stream().mapToDouble(v -> v).min().orElse(0);
        double high = values.stream().mapToDouble(v -> v).max().orElse(0);
        double room = high > low ? (high - low) * 0.06 : Math.max(Math.abs(high), 1) * 0.5;
        // What is never negative should not look as if it could be.
        return new Axis(low >= 0 && low - room < 0 ? 0 : low - room, high + room, begin, end);
    }

    public double at(double value) {
        return begin + (value - from) / (to - from) * (end - begin);
    }

    /** Round values inside the axis, at most this many. */
    public List<Double> ticks(int max) {
        double step = niceStep((to - from) / Math.max(1, max));
        List<Double> ticks = new ArrayList<>();
        for (long k = (long) Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++) {
            ticks.add(k * step);
        }
        return ticks;
    }

    /** The smallest 1, 2 or 5 times a power of ten that is at least this. */
    private static double niceStep(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= least * (1 - 1e-9)) {
                return factor * power;
            }
        }
        return 10 * power;
    }
}
