package dev.fermata.report.plot;

import dev.fermata.report.plot.Canvas.Anchor;

/** The two scales of a drawing with their grid, labels and names. */
public record Frame(Scale x, Scale y) {
    private static final LineStyle GRID = LineStyle.solid(PlotColor.RULE, 1);
    private static final LineStyle EDGE = LineStyle.solid(PlotColor.FAINT, 1);
    /** Labels along x closer than this would touch. */
    private static final double LETTER = 6.2;

    public void draw(Canvas canvas, String xName, String yName) {
        double left = x.begin();
        double right = x.end();
        double bottom = y.begin();
        double top = y.end();
        for (Scale.Tick tick : y.ticks()) {
            canvas.line(left, tick.at(), right, tick.at(), GRID);
            canvas.text(left - 6, tick.at() + 4, Anchor.END, TextStyle.LABEL, tick.label());
        }
        xAxis(canvas, x, top, bottom);
        canvas.line(left, top, left, bottom, EDGE);
        canvas.text(right, bottom + 34, Anchor.END, TextStyle.LABEL, xName);
        canvas.text(left, top - 9, Anchor.START, TextStyle.LABEL, yName);
    }

    /** The grid and labels of one scale from left to right; labels that would touch the one before are left out. */
    public static void xAxis(Canvas canvas, Scale x, double top, double bottom) {
        double free = Double.NEGATIVE_INFINITY;
        for (Scale.Tick tick : x.ticks()) {
            canvas.line(tick.at(), top, tick.at(), bottom, GRID);
            double half = tick.label().length() * LETTER / 2;
            if (tick.at() - half > free) {
                canvas.text(tick.at(), bottom + 17, Anchor.MIDDLE, TextStyle.LABEL, tick.label());
                free = tick.at() + half + LETTER;
            }
        }
        canvas.line(x.begin(), bottom, x.end(), bottom, EDGE);
    }
}
