package dev.fermata.report.plot;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The primitives of drawings. x grows to the right and y downwards; one unit is a pixel on an ordinary screen. */
public interface Canvas {
    /** Which part of a text stands at its place. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /** A path through these points, closed or not, with a line, an area, or both. */
    void path(double[] xs, double[] ys, boolean closed, @Nullable LineStyle lineStyle, @Nullable FillStyle fill);

    void rect(double x, double y, double width, double height, @Nullable LineStyle lineStyle, @Nullable FillStyle fill);

    void text(double x, double y, Anchor anchor, TextStyle textStyle, String text);

    /** A label of the scale below a window, which a live page writes again when the window moves. */
    default void tick(double x, double y, Anchor anchor, String text) {
        text(x, y, anchor, TextStyle.LABEL, text);
    }

    /** Begins a group: what is drawn until its end belongs together; the text is shown when the mouse points at it. */
    void begin(String words);

    void end();

    /** What is drawn until the end is seen through this window only, in its own coordinates from its upper left corner. */
    void beginWindow(double x, double y, double width, double height);

    void endWindow();

    default void line(double x1, double y1, double x2, double y2, LineStyle lineStyle) {
        path(new double[] {x1, x2}, new double[] {y1, y2}, false, lineStyle, null);
    }

    /** A filled shape with a thin border of paper, so that those over each other stay apart. */
    default void marker(double x, double y, double radius, Marker shape, PlotColor color) {
        path(
                shape.xs(x, radius),
                shape.ys(y, radius),
                true,
                LineStyle.solid(PlotColor.PAPER, 0.8),
                FillStyle.plain(color, 1));
    }

    /** A line that goes level until the next point and then straight up or down. */
    default void steps(double[] xs, double[] ys, LineStyle lineStyle) {
        double[] wide = new double[Math.max(0, 2 * xs.length - 1)];
        double[] high = new double[wide.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = xs[(i + 1) / 2];
            high[i] = ys[i / 2];
        }
        path(wide, high, false, lineStyle, null);
    }

    /** The same with the area down to a base line; the last point only ends the last step. */
    default void area(double[] xs, double[] ys, double base, LineStyle lineStyle, FillStyle fill) {
        int n = xs.length;
        double[] wide = new double[2 * n];
        double[] high = new double[2 * n];
        Arrays.fill(high, base);
        for (int i = 0; i < n; i++) {
            wide[2 * i] = xs[i];
            wide[2 * i + 1] = i + 1 < n ? xs[i + 1] : xs[i];
            high[2 * i] = i + 1 < n ? ys[i] : base;
            high[2 * i + 1] = i + 1 < n ? ys[i] : base;
        }
        double[] closedWide = Arrays.copyOf(wide, 2 * n + 1);
        double[] closedHigh = Arrays.copyOf(high, 2 * n + 1);
        System.arraycopy(closedWide, 0, closedWide, 1, 2 * n);
        System.arraycopy(closedHigh, 0, closedHigh, 1, 2 * n);
        closedWide[0] = n == 0 ? 0 : xs[0];
        closedHigh[0] = base;
        path(closedWide, closedHigh, true, lineStyle, fill);
    }
}
