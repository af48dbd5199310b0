package dev.fermata.report.figure;

import dev.fermata.report.plot.Axis;
import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Canvas.Anchor;
import dev.fermata.report.plot.FillStyle;
import dev.fermata.report.plot.Frame;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.Scale;
import dev.fermata.report.plot.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Something over time, a strip for each policy below each other with one scale for all: distinguished by place, not by colour. A
 * logarithmic scale has room for zero: it is that of one more.
 */
public record StripPlot(
        String name,
        String title,
        String description,
        double top,
        boolean logarithmic,
        DoubleFunction<String> show,
        List<Strip> strips)
        implements Plot {
    /** Values that hold from one edge in time (seconds) to the next; one more edge than values. */
    public record Strip(String label, List<Double> edges, List<Double> values) {}

    private static final double LEFT = 150;
    private static final double RIGHT = FigureSizes.WIDTH - 14;
    private static final double GAP = 8;
    private static final int NAME = 20;

    private double stripHeight() {
        return strips.size() == 1 ? 140 : strips.size() <= 6 ? 62 : 40;
    }

    @Override
    public double width() {
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return 10 + strips.size() * (stripHeight() + GAP) + 40;
    }

    @Override
    public void draw(Canvas canvas) {
        double span = strips.stream()
                .mapToDouble(s -> s.edges().get(s.edges().size() - 1))
                .max()
                .orElse(1);
        Scale x = Scale.time(span, LEFT, RIGHT, 7);
        double bottom = 10 + strips.size() * (stripHeight() + GAP);
        Frame.xAxis(canvas, x, 8, bottom);
        canvas.text(RIGHT, bottom + 34, Anchor.END, TextStyle.LABEL, "time since the first submission");
        for (int i = 0; i < strips.size(); i++) {
            double high = 10 + i * (stripHeight() + GAP);
            draw(canvas, i, x, new Axis(0, up(top), high + stripHeight(), high));
        }
    }

    private void draw(Canvas canvas, int i, Scale x, Axis y) {
        Strip strip = strips.get(i);
        double base = y.at(0);
        for (double v : lines()) {
            canvas.line(LEFT, y.at(up(v)), RIGHT, y.at(up(v)), LineStyle.solid(PlotColor.RULE, 1));
        }
        canvas.text(LEFT - 6, y.at(y.to()) + 8, Anchor.END, TextStyle.LABEL, show.apply(top));
        canvas.text(LEFT - 6, base + 1, Anchor.END, TextStyle.LABEL, "0");
        canvas.text(
                4,
                (base + y.at(y.to())) / 2 + 4,
                Anchor.START,
                TextStyle.NAME,
                FigureSizes.truncate(strip.label(), NAME));
        int n = strip.values().size();
        double[] xs = new double[n + 1];
        double[] ys = new double[n + 1];
        for (int k = 0; k <= n; k++) {
            xs[k] = x.at(strip.edges().get(k));
            ys[k] = k < n ? y.at(up(strip.values().get(k))) : base;
        }
        canvas.area(xs, ys, base, LineStyle.solid(PlotColor.series(i), 1), FillStyle.plain(PlotColor.series(i), 0.35));
    }

    private double up(double value) {
        return logarithmic ? Math.log1p(value) : value;
    }

    private List<Double> lines() {
        if (!logarithmic) {
            return List.of(0.0, top / 2, top);
        }
        List<Double> lines = new ArrayList<>(List.of(0.0));
        for (double v = 1; v <= top; v *= 10) {
            lines.add(v);
        }
        return lines;
    }
}
