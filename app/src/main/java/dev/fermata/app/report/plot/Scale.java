package dev.fermata.app.report.plot;

import dev.fermata.app.output.Humane;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/** Where values stand along an edge of a drawing, and which of them are labelled. */
public interface Scale {
    /** A value with its label. */
    record Tick(double at, String label) {}

    double at(double value);

    List<Tick> ticks();

    double begin();

    double end();

    /** Evenly from the first value to the last. */
    static Scale linear(Axis axis, int mostTicks, DoubleFunction<String> label) {
        List<Tick> ticks = new ArrayList<>();
        axis.ticks(mostTicks).forEach(v -> ticks.add(new Tick(axis.at(v), label.apply(v))));
        return new Ready(axis::at, ticks, axis.begin(), axis.end());
    }

    /** Time from 0 to so many seconds, with ticks at whole minutes, hours and days. */
    static Scale time(double seconds, double begin, double end, int mostTicks) {
        Axis axis = new Axis(0, Math.max(seconds, 1e-3), begin, end);
        double step = Durations.step(axis.to() / Math.max(1, mostTicks));
        List<Tick> ticks = new ArrayList<>();
        for (double v = 0; v <= axis.to() * (1 + 1e-9); v += step) {
            ticks.add(new Tick(axis.at(v), Durations.brief(v)));
        }
        return new Ready(axis::at, ticks, begin, end);
    }

    /** A scale whose places and ticks are known. */
    record Ready(java.util.function.DoubleUnaryOperator place, List<Tick> ticks, double begin, double end)
            implements Scale {
        @Override
        public double at(double value) {
            return place.applyAsDouble(value);
        }
    }

    /** Numbers for people: 0.5, 20, 3,000. */
    static String plain(double value) {
        return value == Math.rint(value)
                ? Humane.count(value)
                : java.math.BigDecimal.valueOf(value)
                        .round(new java.math.MathContext(3))
                        .stripTrailingZeros()
                        .toPlainString();
    }
}
