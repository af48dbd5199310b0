package dev.fermata.report.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * Seconds on a logarithmic scale. Zero has a place of its own at the beginning, where there are zeros or values too
 * small for the scale.
 */
public final class LogTimeScale {
    /** Smaller ones than this fraction of the largest are taken for zero. */
    private static final double NARROWEST = 1e-9;

    private static final double ZERO_ROOM = 26;

    private LogTimeScale() {}

    /** A scale that shows all these values. */
    public static Scale of(List<Double> seconds, double begin, double end) {
        double high = seconds.stream().mapToDouble(v -> v).max().orElse(0);
        if (high <= 0) {
            high = 10;
        }
        double least = Math.max(1e-3, high * NARROWEST);
        double low = seconds.stream()
                .mapToDouble(v -> v)
                .filter(v -> v >= least)
                .min()
                .orElse(high / 10);
        boolean zeros = seconds.stream().anyMatch(v -> v < least);
        double from = Math.log(Math.min(low, high / 2) / 1.1);
        double to = Math.log(high * 1.1);
        double first = begin + (zeros ? Math.copySign(ZERO_ROOM, end - begin) : 0);
        List<Scale.Tick> ticks = new ArrayList<>();
        if (zeros) {
            ticks.add(new Scale.Tick(begin, "0"));
        }
        java.util.function.DoubleUnaryOperator place =
                v -> v < least ? begin : first + (Math.max(from, Math.log(v)) - from) / (to - from) * (end - first);
        for (double v : DurationTicks.between(Math.exp(from), Math.exp(to))) {
            ticks.add(new Scale.Tick(place.applyAsDouble(v), DurationTicks.brief(v)));
        }
        return new Scale.FixedScale(place, ticks, begin, end);
    }
}
