package dev.fermata.report.figure;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Canvas.Anchor;
import dev.fermata.report.plot.FillStyle;
import dev.fermata.report.plot.Frame;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.LogTimeScale;
import dev.fermata.report.plot.Marker;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.Scale;
import dev.fermata.report.plot.TextStyle;
import dev.fermata.sim.recording.WaitDistribution;
import java.util.List;
import java.util.stream.Stream;

/** The waits of groups of jobs: a heading for each group, below it a box for each policy. */
public record BoxPlot(String name, String title, String description, List<BoxGroup> parts) implements Plot {
    /** A group of jobs under every policy. */
    public record BoxGroup(String label, List<Box> boxes) {}

    /** A group of jobs under one policy; the number is that of the policy. */
    public record Box(String label, int number, WaitDistribution waits) {}

    private static final double LEFT = 158;
    private static final double RIGHT = FigureSizes.WIDTH - 14;
    private static final double ROW = 17;
    private static final double HEADING = 22;

    @Override
    public double width() {
        return FigureSizes.WIDTH;
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
        Scale x = LogTimeScale.of(all, LEFT, RIGHT);
        Frame.xAxis(canvas, x, 4, bottom());
        canvas.text(RIGHT, bottom() + 34, Anchor.END, TextStyle.LABEL, "time in the queue");
        double y = 4;
        for (BoxGroup part : parts) {
            canvas.line(0, y, RIGHT, y, LineStyle.solid(PlotColor.RULE, 1));
            canvas.text(4, y + 15, Anchor.START, TextStyle.HEADING.withHalo(), part.label());
            y += HEADING;
            for (Box box : part.boxes()) {
                canvas.text(LEFT - 8, y + 12, Anchor.END, TextStyle.NAME, FigureSizes.truncate(box.label(), 20));
                draw(canvas, box, x, y + ROW / 2);
                y += ROW;
            }
        }
    }

    private static void draw(Canvas canvas, Box box, Scale x, double y) {
        WaitDistribution w = box.waits();
        PlotColor color = PlotColor.series(box.number());
        canvas.begin(box.label() + ", " + HumanFormat.amount(w.jobs(), "job") + ": median "
                + HumanFormat.time(w.median()) + ", mean " + HumanFormat.time(w.mean()) + ", middle half "
                + HumanFormat.time(w.p25()) + " to " + HumanFormat.time(w.p75()) + ", p5 " + HumanFormat.time(w.p5())
                + ", p95 "
                + HumanFormat.time(w.p95()) + ", longest " + HumanFormat.time(w.max()));
        canvas.line(x.at(w.p5()), y, x.at(w.p95()), y, LineStyle.solid(color, 1.2));
        canvas.line(x.at(w.p5()), y - 3, x.at(w.p5()), y + 3, LineStyle.solid(color, 1.2));
        canvas.line(x.at(w.p95()), y - 3, x.at(w.p95()), y + 3, LineStyle.solid(color, 1.2));
        double wide = Math.max(1, x.at(w.p75()) - x.at(w.p25()));
        canvas.rect(x.at(w.p25()), y - 5, wide, 10, LineStyle.solid(color, 1.2), FillStyle.plain(color, 0.3));
        canvas.line(x.at(w.median()), y - 6, x.at(w.median()), y + 6, LineStyle.solid(PlotColor.TEXT, 2.2));
        canvas.marker(x.at(w.max()), y, 2.6, Marker.CIRCLE, color);
        canvas.marker(x.at(w.mean()), y, 4, Marker.DIAMOND, PlotColor.TEXT);
        canvas.end();
    }
}
