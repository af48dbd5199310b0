package dev.fermata.report.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/** Maps values to positions along an edge of a drawing, with the labelled values. */
public interface Scale {
    /** A value with its label. */
    record Tick(double at, String label) {}

    double at(double value);

    List<Tick> ticks();

    double begin();

    double end();

    /** Evenly from the first value to the last. */
    static Scale linear(Axis axis, int maxTicks, DoubleFunction<String> label) {
        List<Tick> ticks = new ArrayList<>();
        axis.ticks(maxTicks).forEach(v -> ticks.add(new Tick(axis.at(v), label.apply(v))));
        return new FixedScale(axis::at, ticks, axis.begin(), axis.end());
    }

    /** Time from 0 to this many seconds, with ticks at whole minutes, hours and days. */
    static Scale time(double seconds, double begin, double end, int maxTicks) {
        Axis axis = new Axis(0, Math.max(seconds, 1e-3), begin, end);
        double step = DurationTicks.step(axis.to() / Math.max(1, maxTicks));
        List<Tick> ticks = new ArrayList<>();
        for (double v = 0; v <= axis.to() * (1 + 1e-9); v += step) {
            ticks.add(new Tick(axis.at(v), DurationTicks.brief(v)));
        }
        return new FixedScale(axis::at, ticks, begin, end);
    }

    /** Numbers with some room around them: evenly, or by their logarithm where they span more than an order of magnitude. */
    static Scale numbers(List<Double> values, double begin, double end, int maxTicks, DoubleFunction<String> label) {
        double low = values.stream().mapToDouble(v -> v).min().orElse(0);
        double high = values.stream().mapToDouble(v -> v).max().orElse(0);
        if (!(low > 0 && high / low > 10)) {
            return linear(Axis.around(values, begin, end), maxTicks, label);
        }
        Axis axis = Axis.around(values.stream().map(Math::log10).toList(), begin, end);
        List<Tick> ticks = new ArrayList<>();
        double[] steps = high / low > 1000 ? new double[] {1} : new double[] {1, 2, 5};
        for (int power = (int) Math.floor(axis.from()); power <= axis.to(); power++) {
            for (double step : steps) {
                double value = step * Math.pow(10, power);
                if (Math.log10(value) >= axis.from() && Math.log10(value) <= axis.to()) {
                    ticks.add(new Tick(axis.at(Math.log10(value)), label.apply(value)));
                }
            }
        }
        return new FixedScale(v -> axis.at(Math.log10(v)), ticks, begin, end);
    }

    /** A scale whose places and ticks are known. */
    record FixedScale(java.util.function.DoubleUnaryOperator place, List<Tick> ticks, double begin, double end)
            implements Scale {
        @Override
        public double at(double value) {
            return place.applyAsDouble(value);
        }
    }
}
