package dev.fermata.report.figure;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.plot.Axis;
import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Frame;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.Marker;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;

/** Every setting of a search: the value of one parameter to the right, the objective upwards; the current and the best one are marked. */
public record TuningPlot(
        String name,
        String title,
        String description,
        String parameter,
        String objective,
        List<String> choices,
        DoubleFunction<String> show,
        List<EvaluationPoint> points)
        implements Plot {
    /** The role of a point. */
    public enum PointRole {
        TRIED(0, "tried"),
        PRESENT(1, "now"),
        BEST(2, "best of the search");

        private final int series;
        private final String label;

        PointRole(int series, String label) {
            this.series = series;
            this.label = label;
        }
    }

    /**
     * One setting.
     *
     * @param value of the parameter; for one with choices, its index
     */
    public record EvaluationPoint(double value, double objective, PointRole role) {}

    private static final double LEFT = 72;
    private static final double RIGHT = FigureSizes.WIDTH - 14;
    private static final double TOP = 24;
    private static final double BOTTOM = 244;
    private static final int TICKS = 6;

    /** The roles in use; the last may be missing, since the best setting may be the current one. */
    private List<String> roles() {
        return Arrays.stream(PointRole.values())
                .filter(role -> points.stream().anyMatch(point -> point.role() == role))
                .map(role -> role.label)
                .toList();
    }

    @Override
    public double width() {
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return BOTTOM + 42 + Legend.height(roles(), FigureSizes.WIDTH);
    }

    @Override
    public void draw(Canvas canvas) {
        Scale x = choices.isEmpty()
                ? Scale.numbers(
                        points.stream().map(EvaluationPoint::value).toList(), LEFT, RIGHT, TICKS, HumanFormat::plain)
                : sideBySide();
        Scale y = Scale.numbers(points.stream().map(EvaluationPoint::objective).toList(), BOTTOM, TOP, TICKS - 1, show);
        new Frame(x, y).draw(canvas, parameter, objective);
        points.stream()
                .filter(point -> point.role() == PointRole.PRESENT)
                .findFirst()
                .ifPresent(present -> {
                    double level = y.at(present.objective());
                    canvas.line(
                            LEFT, level, RIGHT, level, LineStyle.solid(PlotColor.series(PointRole.PRESENT.series), 1));
                });
        for (PointRole role : PointRole.values()) { // what is set off is drawn last
            points.stream().filter(point -> point.role() == role).forEach(point -> {
                double radius = role == PointRole.TRIED ? 3.6 : 6;
                canvas.marker(
                        x.at(point.value()),
                        y.at(point.objective()),
                        radius,
                        Marker.series(role.series),
                        PlotColor.series(role.series));
            });
        }
        Legend.draw(canvas, roles(), LEFT, BOTTOM + 42, FigureSizes.WIDTH);
    }

    private Scale sideBySide() {
        Axis axis = new Axis(-0.5, choices.size() - 0.5, LEFT, RIGHT);
        List<Scale.Tick> ticks = new ArrayList<>();
        for (int i = 0; i < choices.size(); i++) {
            ticks.add(new Scale.Tick(axis.at(i), choices.get(i)));
        }
        return new Scale.FixedScale(axis::at, ticks, LEFT, RIGHT);
    }
}
