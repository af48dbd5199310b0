package dev.fermata.app.report.figure;

import dev.fermata.app.output.Humane;
import dev.fermata.app.report.plot.Canvas;
import dev.fermata.app.report.plot.Canvas.Anchor;
import dev.fermata.app.report.plot.Fill;
import dev.fermata.app.report.plot.Frame;
import dev.fermata.app.report.plot.Ink;
import dev.fermata.app.report.plot.Letters;
import dev.fermata.app.report.plot.LogTime;
import dev.fermata.app.report.plot.Marker;
import dev.fermata.app.report.plot.Pen;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.report.plot.Scale;
import dev.fermata.sim.portrait.Group;
import java.util.List;
import java.util.stream.Stream;

/** How long groups of jobs waited: for each group a heading, below it a box for each policy. */
public record BoxPlot(String name, String title, String description, List<Part> parts) implements Plot {
    /** A group of jobs under every policy. */
    public record Part(String label, List<Box> boxes) {}

    /** A group of jobs under one policy; the number is that of the policy. */
    public record Box(String label, int number, Group waits) {}

    private static final double LEFT = 158;
    private static final double RIGHT = Sizes.WIDTH - 14;
    private static final double ROW = 17;
    private static final double HEADING = 22;

    @Override
    public double width() {
        return Sizes.WIDTH;
    }

    @Override
    public double height() {
        return bottom() + 42;
    }

    private double bottom() {
        return 4
                + parts.stream()
                        .mapToDouble(p -> HEADING + ROW * p.boxes().size())
                        .sum();
    }

    @Override
    public void draw(Canvas canvas) {
        List<Double> all = parts.stream()
                .flatMap(p -> p.boxes().stream())
                .flatMap(b -> Stream.of(
                        b.waits().p5(),
                        b.waits().p25(),
                        b.waits().median(),
                        b.waits().p75(),
                        b.waits().p95(),
                        b.waits().mean(),
                        b.waits().max()))
                .toList();
        Scale x = LogTime.of(all, LEFT, RIGHT);
        Frame.xAxis(canvas, x, 4, bottom());
        canvas.text(RIGHT, bottom() + 34, Anchor.END, Letters.LABEL, "time in the queue");
        double y = 4;
        for (Part part : parts) {
            canvas.line(0, y, RIGHT, y, Pen.solid(Ink.RULE, 1));
            canvas.text(4, y + 15, Anchor.START, Letters.HEADING.standingOut(), part.label());
            y += HEADING;
            for (Box box : part.boxes()) {
                canvas.text(LEFT - 8, y + 12, Anchor.END, Letters.NAME, Sizes.cut(box.label(), 20));
                draw(canvas, box, x, y + ROW / 2);
                y += ROW;
            }
        }
    }

    private static void draw(Canvas canvas, Box box, Scale x, double y) {
        Group w = box.waits();
        Ink ink = Ink.series(box.number());
        canvas.begin(box.label() + ", " + Humane.amount(w.jobs(), "job") + ": median "
                + Humane.time(w.median()) + ", mean " + Humane.time(w.mean()) + ", middle half "
                + Humane.time(w.p25()) + " to " + Humane.time(w.p75()) + ", p5 " + Humane.time(w.p5()) + ", p95 "
                + Humane.time(w.p95()) + ", longest " + Humane.time(w.max()));
        canvas.line(x.at(w.p5()), y, x.at(w.p95()), y, Pen.solid(ink, 1.2));
        canvas.line(x.at(w.p5()), y - 3, x.at(w.p5()), y + 3, Pen.solid(ink, 1.2));
        canvas.line(x.at(w.p95()), y - 3, x.at(w.p95()), y + 3, Pen.solid(ink, 1.2));
        double wide = Math.max(1, x.at(w.p75()) - x.at(w.p25()));
        canvas.rect(x.at(w.p25()), y - 5, wide, 10, Pen.solid(ink, 1.2), Fill.plain(ink, 0.3));
        canvas.line(x.at(w.median()), y - 6, x.at(w.median()), y + 6, Pen.solid(Ink.TEXT, 2.2));
        canvas.marker(x.at(w.max()), y, 2.6, Marker.CIRCLE, ink);
        canvas.marker(x.at(w.mean()), y, 4, Marker.DIAMOND, Ink.TEXT);
        canvas.end();
    }
}
