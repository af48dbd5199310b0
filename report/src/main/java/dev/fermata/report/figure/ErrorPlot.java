package dev.fermata.report.figure;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.plot.Axis;
import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Canvas.Anchor;
import dev.fermata.report.plot.FillStyle;
import dev.fermata.report.plot.Frame;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.Marker;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.Scale;
import dev.fermata.report.plot.TextStyle;
import java.util.ArrayList;
import java.util.List;

/** Relative errors of several measures: a dot for each, and a band for the accepted range. */
public record ErrorPlot(String name, String title, String description, List<ErrorRow> rows) implements Plot {
    /**
     * One measure.
     *
     * @param error as a share, not finite where there is nothing to compare with
     * @param tolerance half the width of the band; 0 for none
     */
    public record ErrorRow(String label, double error, double tolerance) {
        boolean isMissed() {
            return tolerance > 0 && !(Math.abs(error) <= tolerance);
        }
    }

    private static final double LEFT = 210;
    private static final double RIGHT = FigureSizes.WIDTH - 70;
    private static final double TOP = 12;
    private static final double ROW = 26;
    /** Beyond this a dot stands at the edge: one that is far out must not squeeze the others into a point. */
    private static final double FARTHEST = 0.5;

    private static final double LEAST = 0.12;
    private static final int TICKS = 6;

    @Override
    public double width() {
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return bottom() + 42;
    }

    private double bottom() {
        return TOP + rows.size() * ROW;
    }

    @Override
    public void draw(Canvas canvas) {
        double max = rows.stream()
                .mapToDouble(row -> Double.isFinite(row.error()) ? Math.abs(row.error()) : 0)
                .max()
                .orElse(0);
        double edge = Math.max(LEAST, Math.min(FARTHEST, max)) * 1.05;
        Axis axis = new Axis(-edge, edge, LEFT, RIGHT);
        List<Scale.Tick> ticks = new ArrayList<>();
        axis.ticks(TICKS)
                .forEach(v -> ticks.add(new Scale.Tick(axis.at(v), (v > 0 ? "+" : "") + Math.round(v * 100) + " %")));
        for (int i = 0; i < rows.size(); i++) {
            ErrorRow row = rows.get(i);
            if (row.tolerance() > 0) {
                double from = axis.at(-row.tolerance());
                canvas.rect(
                        from,
                        TOP + i * ROW + 3,
                        axis.at(row.tolerance()) - from,
                        ROW - 6,
                        null,
                        FillStyle.plain(PlotColor.GREEN, 0.2));
            }
        }
        Frame.xAxis(canvas, new Scale.FixedScale(axis::at, ticks, LEFT, RIGHT), TOP, bottom());
        canvas.line(axis.at(0), TOP, axis.at(0), bottom(), LineStyle.solid(PlotColor.TEXT, 1.2));
        canvas.text(RIGHT, bottom() + 34, Anchor.END, TextStyle.LABEL, "simulated against real; shaded: still good");
        for (int i = 0; i < rows.size(); i++) {
            draw(canvas, rows.get(i), TOP + (i + 0.5) * ROW, axis);
        }
    }

    private static void draw(Canvas canvas, ErrorRow row, double y, Axis axis) {
        canvas.text(LEFT - 10, y + 4, Anchor.END, TextStyle.NAME, FigureSizes.truncate(row.label(), 30));
        if (!Double.isFinite(row.error())) {
            canvas.text(axis.at(0) + 8, y + 4, Anchor.START, TextStyle.LABEL, "nothing to compare with");
            return;
        }
        boolean beyond = row.error() > axis.to();
        double x = axis.at(beyond ? axis.to() : Math.max(axis.from(), row.error()));
        PlotColor color = row.isMissed() ? PlotColor.VERMILLION : PlotColor.BLUE;
        canvas.line(axis.at(0), y, x, y, LineStyle.solid(color, 2));
        canvas.marker(x, y, 5, row.isMissed() ? Marker.DIAMOND : Marker.CIRCLE, color);
        canvas.text(
                RIGHT + 8,
                y + 4,
                Anchor.START,
                TextStyle.NAME.withColor(row.isMissed() ? color : PlotColor.TEXT),
                (beyond ? "→ " : "") + HumanFormat.change(row.error()));
    }
}
