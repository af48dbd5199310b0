package dev.fermata.app.report.figure;

import dev.fermata.app.report.plot.Axis;
import dev.fermata.app.report.plot.Canvas;
import dev.fermata.app.report.plot.Canvas.Anchor;
import dev.fermata.app.report.plot.Frame;
import dev.fermata.app.report.plot.Ink;
import dev.fermata.app.report.plot.Letters;
import dev.fermata.app.report.plot.LogTime;
import dev.fermata.app.report.plot.Marker;
import dev.fermata.app.report.plot.Pen;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.report.plot.Scale;
import dev.fermata.sim.portrait.Curve;
import java.util.List;

/** What share of the jobs was done, or had waited no longer, within what time: a curve for each policy on a logarithmic scale. */
public record CdfPlot(String name, String title, String description, String xName, List<Line> lines) implements Plot {
    /** A distribution in seconds and whose it is. */
    public record Line(String label, Curve curve) {}

    private static final double LEFT = 52;
    private static final double RIGHT = Sizes.WIDTH - 14;
    private static final double TOP = 24;
    private static final double BOTTOM = 324;
    /** With fewer points than this each step is drawn; with more they are finer than a pixel. */
    private static final int STEPS_SEEN = 120;

    @Override
    public double width() {
        return Sizes.WIDTH;
    }

    @Override
    public double height() {
        return BOTTOM + 42 + Key.height(labels(), Sizes.WIDTH);
    }

    private List<String> labels() {
        return lines.stream().map(Line::label).toList();
    }

    @Override
    public void draw(Canvas canvas) {
        List<Double> all =
                lines.stream().flatMap(l -> l.curve().values().stream()).toList();
        Scale x = LogTime.of(all, LEFT, RIGHT);
        Scale y = Scale.linear(new Axis(0, 1, BOTTOM, TOP), 5, v -> Math.round(v * 100) + " %");
        new Frame(x, y).draw(canvas, xName, "share of completed jobs");
        for (int i = 0; i < lines.size(); i++) {
            draw(canvas, lines.get(i).curve(), Pen.series(i), x, y);
        }
        labels(canvas, x, y);
        Key.draw(canvas, labels(), LEFT, BOTTOM + 42, Sizes.WIDTH);
    }

    private static void draw(Canvas canvas, Curve curve, Pen pen, Scale x, Scale y) {
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
            canvas.steps(xs, ys, pen);
        } else {
            canvas.path(xs, ys, false, pen, null);
        }
    }

    /** Each name stands beside its own curve, each at another height; those of one that is all zero there, where it leaves zero. */
    private void labels(Canvas canvas, Scale x, Scale y) {
        double[] heights = new double[lines.size()];
        double[] places = new double[lines.size()];
        for (int i = 0; i < heights.length; i++) {
            Curve curve = lines.get(i).curve();
            double share = 0.9 - 0.8 * (i + 0.5) / lines.size();
            int k = first(curve, share, x);
            places[i] = k < 0 ? RIGHT : x.at(curve.values().get(k));
            heights[i] = y.at(k < 0 ? share : Math.max(share, curve.shares().get(Math.max(0, k - 1))));
        }
        double[] apart = Apart.spread(heights, 13, TOP, BOTTOM - 6);
        for (int i = 0; i < heights.length; i++) {
            if (!lines.get(i).curve().values().isEmpty()) {
                Ink ink = Ink.series(i);
                if (Math.abs(apart[i] - heights[i]) > 6) {
                    canvas.line(places[i], heights[i], places[i] + 8, apart[i], Pen.solid(ink, 0.8));
                }
                canvas.marker(places[i], heights[i], 5, Marker.series(i), ink);
                boolean room = places[i] + 12 + lines.get(i).label().length() * Sizes.LETTER < RIGHT;
                canvas.text(
                        room ? places[i] + 9 : places[i] - 9,
                        apart[i] + 4,
                        room ? Anchor.START : Anchor.END,
                        Letters.NAME.in(ink).standingOut(),
                        Sizes.cut(lines.get(i).label(), 28));
            }
        }
    }

    /** The first point at or above a share that does not stand at zero; the last one where all do, -1 where there is none. */
    private static int first(Curve curve, double share, Scale x) {
        int last = curve.values().size() - 1;
        for (int k = 0; k <= last; k++) {
            if (curve.shares().get(k) >= share && x.at(curve.values().get(k)) > x.begin()) {
                return k;
            }
        }
        return last;
    }
}
