package dev.fermata.app.report.figure;

import dev.fermata.app.output.Humane;
import dev.fermata.app.report.plot.Axis;
import dev.fermata.app.report.plot.Canvas;
import dev.fermata.app.report.plot.Canvas.Anchor;
import dev.fermata.app.report.plot.Fill;
import dev.fermata.app.report.plot.Frame;
import dev.fermata.app.report.plot.Ink;
import dev.fermata.app.report.plot.Letters;
import dev.fermata.app.report.plot.Marker;
import dev.fermata.app.report.plot.Pen;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.report.plot.Scale;
import java.util.ArrayList;
import java.util.List;

/** Relative errors of unlike measures below each other: a dot for each, and a band for what is still good where that is said. */
public record ErrorPlot(String name, String title, String description, List<Row> rows) implements Plot {
    /**
     * One measure.
     *
     * @param error as a share, not finite where there is nothing to compare with
     * @param aim half the width of the band; 0 for none
     */
    public record Row(String label, double error, double aim) {
        boolean missed() {
            return aim > 0 && !(Math.abs(error) <= aim);
        }
    }

    private static final double LEFT = 210;
    private static final double RIGHT = Sizes.WIDTH - 70;
    private static final double TOP = 12;
    private static final double ROW = 26;
    /** Beyond this a dot stands at the edge: one that is far out must not squeeze the others into a point. */
    private static final double FARTHEST = 0.5;

    private static final double LEAST = 0.12;
    private static final int TICKS = 6;

    @Override
    public double width() {
        return Sizes.WIDTH;
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
        double most = rows.stream()
                .mapToDouble(row -> Double.isFinite(row.error()) ? Math.abs(row.error()) : 0)
                .max()
                .orElse(0);
        double edge = Math.max(LEAST, Math.min(FARTHEST, most)) * 1.05;
        Axis axis = new Axis(-edge, edge, LEFT, RIGHT);
        List<Scale.Tick> ticks = new ArrayList<>();
        axis.ticks(TICKS)
                .forEach(v -> ticks.add(new Scale.Tick(axis.at(v), (v > 0 ? "+" : "") + Math.round(v * 100) + " %")));
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            if (row.aim() > 0) {
                double from = axis.at(-row.aim());
                canvas.rect(
                        from, TOP + i * ROW + 3, axis.at(row.aim()) - from, ROW - 6, null, Fill.plain(Ink.GREEN, 0.2));
            }
        }
        Frame.xAxis(canvas, new Scale.Ready(axis::at, ticks, LEFT, RIGHT), TOP, bottom());
        canvas.line(axis.at(0), TOP, axis.at(0), bottom(), Pen.solid(Ink.TEXT, 1.2));
        canvas.text(RIGHT, bottom() + 34, Anchor.END, Letters.LABEL, "simulated against real; shaded: still good");
        for (int i = 0; i < rows.size(); i++) {
            draw(canvas, rows.get(i), TOP + (i + 0.5) * ROW, axis);
        }
    }

    private static void draw(Canvas canvas, Row row, double y, Axis axis) {
        canvas.text(LEFT - 10, y + 4, Anchor.END, Letters.NAME, Sizes.cut(row.label(), 30));
        if (!Double.isFinite(row.error())) {
            canvas.text(axis.at(0) + 8, y + 4, Anchor.START, Letters.LABEL, "nothing to compare with");
            return;
        }
        boolean beyond = row.error() > axis.to();
        double x = axis.at(beyond ? axis.to() : Math.max(axis.from(), row.error()));
        Ink ink = row.missed() ? Ink.VERMILLION : Ink.BLUE;
        canvas.line(axis.at(0), y, x, y, Pen.solid(ink, 2));
        canvas.marker(x, y, 5, row.missed() ? Marker.DIAMOND : Marker.CIRCLE, ink);
        canvas.text(
                RIGHT + 8,
                y + 4,
                Anchor.START,
                Letters.NAME.in(row.missed() ? ink : Ink.TEXT),
                (beyond ? "→ " : "") + Humane.change(row.error()));
    }
}
