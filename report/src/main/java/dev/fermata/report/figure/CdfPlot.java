package dev.fermata.report.figure;

import dev.fermata.report.plot.Axis;
import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Canvas.Anchor;
import dev.fermata.report.plot.Frame;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.LogTimeScale;
import dev.fermata.report.plot.Marker;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.Scale;
import dev.fermata.report.plot.TextStyle;
import dev.fermata.sim.recording.EmpiricalCdf;
import java.util.List;

/** A cumulative distribution over time on a logarithmic scale: a curve for each policy. */
public record CdfPlot(String name, String title, String description, String xName, List<CdfLine> lines)
        implements Plot {
    /** A distribution in seconds and its label. */
    public record CdfLine(String label, EmpiricalCdf curve) {}

    private static final double LEFT = 52;
    private static final double RIGHT = FigureSizes.WIDTH - 14;
    private static final double TOP = 24;
    private static final double BOTTOM = 324;
    /** With fewer points than this each step is drawn; with more they are finer than a pixel. */
    private static final int STEPS_SEEN = 120;

    @Override
    public double width() {
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return BOTTOM + 42 + Legend.height(labels(), FigureSizes.WIDTH);
    }

    private List<String> labels() {
        return lines.stream().map(CdfLine::label).toList();
    }

    @Override
    public void draw(Canvas canvas) {
        List<Double> all =
                lines.stream().flatMap(l -> l.curve().values().stream()).toList();
        Scale x = LogTimeScale.of(all, LEFT, RIGHT);
        Scale y = Scale.linear(new Axis(0, 1, BOTTOM, TOP), 5, v -> Math.round(v * 100) + " %");
        new Frame(x, y).draw(canvas, xName, "share of completed jobs");
        for (int i = 0; i < lines.size(); i++) {
            draw(canvas, lines.get(i).curve(), LineStyle.series(i), x, y);
        }
        labels(canvas, x, y);
        Legend.draw(canvas, labels(), LEFT, BOTTOM + 42, FigureSizes.WIDTH);
    }

    private static void draw(Canvas canvas, EmpiricalCdf curve, LineStyle lineStyle, Scale x, Scale y) {
        int n = curve.values().size();
        double[] xs = new double[n + 1];
        double[] ys = new double[n + 1];
        for (int i = 0; i < n; i++) {
            xs[i + 1] = x.at(curve.values().get(i));
            ys[i + 1] = y.at(curve.shares().get(i));
        }
        xs[0] = n == 0 ? x.begin() : xs[1];
        ys[0] = y.at(0);
        if (n < STEPS_SEEN) {
            canvas.steps(xs, ys, lineStyle);
        } else {
            canvas.path(xs, ys, false, lineStyle, null);
        }
    }

    /** Each name is next to its curve, each at another height; that of a curve which starts at zero is where it leaves zero. */
    private void labels(Canvas canvas, Scale x, Scale y) {
        double[] heights = new double[lines.size()];
        double[] places = new double[lines.size()];
        for (int i = 0; i < heights.length; i++) {
            EmpiricalCdf curve = lines.get(i).curve();
            double share = 0.9 - 0.8 * (i + 0.5) / lines.size();
            int k = first(curve, share, x);
            places[i] = k < 0 ? RIGHT : x.at(curve.values().get(k));
            heights[i] = y.at(k < 0 ? share : Math.max(share, curve.shares().get(Math.max(0, k - 1))));
        }
        double[] apart = LabelSpacing.spreadLabels(heights, 13, TOP, BOTTOM - 6);
        for (int i = 0; i < heights.length; i++) {
            if (!lines.get(i).curve().values().isEmpty()) {
                PlotColor color = PlotColor.series(i);
                if (Math.abs(apart[i] - heights[i]) > 6) {
                    canvas.line(places[i], heights[i], places[i] + 8, apart[i], LineStyle.solid(color, 0.8));
                }
                canvas.marker(places[i], heights[i], 5, Marker.series(i), color);
                boolean room = places[i] + 12 + lines.get(i).label().length() * FigureSizes.LETTER < RIGHT;
                canvas.text(
                        room ? places[i] + 9 : places[i] - 9,
                        apart[i] + 4,
                        room ? Anchor.START : Anchor.END,
                        TextStyle.NAME.withColor(color).withHalo(),
                        FigureSizes.truncate(lines.get(i).label(), 28));
            }
        }
    }

    /** The first point at or above a share that does not stand at zero; the last one where all do, -1 where there is none. */
    private static int first(EmpiricalCdf curve, double share, Scale x) {
        int last = curve.values().size() - 1;
        for (int k = 0; k <= last; k++) {
            if (curve.shares().get(k) >= share && x.at(curve.values().get(k)) > x.begin()) {
                return k;
            }
        }
        return last;
    }
}
