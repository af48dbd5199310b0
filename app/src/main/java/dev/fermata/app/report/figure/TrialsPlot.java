package dev.fermata.app.report.figure;

import dev.fermata.app.report.plot.Axis;
import dev.fermata.app.report.plot.Canvas;
import dev.fermata.app.report.plot.Frame;
import dev.fermata.app.report.plot.Ink;
import dev.fermata.app.report.plot.Marker;
import dev.fermata.app.report.plot.Pen;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.report.plot.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;

/** Every setting that was tried: the value of one knob to the right, the objective upwards; the present one and the best set off. */
public record TrialsPlot(
        String name,
        String title,
        String description,
        String knob,
        String objective,
        List<String> choices,
        DoubleFunction<String> show,
        List<Point> points)
        implements Plot {
    /** What a point stands for. */
    public enum Role {
        TRIED(0, "tried"),
        PRESENT(1, "now"),
        BEST(2, "best of the search");

        private final int series;
        private final String label;

        Role(int series, String label) {
            this.series = series;
            this.label = label;
        }
    }

    /**
     * One setting.
     *
     * @param value of the knob; for a knob with choices which of them
     */
    public record Point(double value, double objective, Role role) {}

    private static final double LEFT = 72;
    private static final double RIGHT = Sizes.WIDTH - 14;
    private static final double TOP = 24;
    private static final double BOTTOM = 244;
    private static final int TICKS = 6;

    /** Those that there are; the last may be missing, since the best may be what is there now. */
    private List<String> roles() {
        return Arrays.stream(Role.values())
                .filter(role -> points.stream().anyMatch(point -> point.role() == role))
                .map(role -> role.label)
                .toList();
    }

    @Override
    public double width() {
        return Sizes.WIDTH;
    }

    @Override
    public double height() {
        return BOTTOM + 42 + Key.height(roles(), Sizes.WIDTH);
    }

    @Override
    public void draw(Canvas canvas) {
        Scale x = choices.isEmpty()
                ? Scale.numbers(points.stream().map(Point::value).toList(), LEFT, RIGHT, TICKS, Scale::plain)
                : sideBySide();
        Scale y = Scale.numbers(points.stream().map(Point::objective).toList(), BOTTOM, TOP, TICKS - 1, show);
        new Frame(x, y).draw(canvas, knob, objective);
        points.stream()
                .filter(point -> point.role() == Role.PRESENT)
                .findFirst()
                .ifPresent(present -> {
                    double level = y.at(present.objective());
                    canvas.line(LEFT, level, RIGHT, level, Pen.solid(Ink.series(Role.PRESENT.series), 1));
                });
        for (Role role : Role.values()) { // what is set off is drawn last
            points.stream().filter(point -> point.role() == role).forEach(point -> {
                double radius = role == Role.TRIED ? 3.6 : 6;
                canvas.marker(
                        x.at(point.value()),
                        y.at(point.objective()),
                        radius,
                        Marker.series(role.series),
                        Ink.series(role.series));
            });
        }
        Key.draw(canvas, roles(), LEFT, BOTTOM + 42, Sizes.WIDTH);
    }

    private Scale sideBySide() {
        Axis axis = new Axis(-0.5, choices.size() - 0.5, LEFT, RIGHT);
        List<Scale.Tick> ticks = new ArrayList<>();
        for (int i = 0; i < choices.size(); i++) {
            ticks.add(new Scale.Tick(axis.at(i), choices.get(i)));
        }
        return new Scale.Ready(axis::at, ticks, LEFT, RIGHT);
    }
}
