package dev.fermata.report.figure;

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
import java.util.List;
import java.util.stream.Stream;

/** Cost to the right, gain upwards, both in seconds on the same scale; above the diagonal a pause paid. */
public record ScatterPlot(String name, String title, String description, String xName, String yName, List<Cloud> clouds)
        implements Plot {
    /** The points of one policy. */
    public record Cloud(String label, List<CostGainPoint> points) {}

    public record CostGainPoint(double cost, double gain) {}

    private static final double LEFT = 62;
    private static final double RIGHT = FigureSizes.WIDTH - 14;
    private static final double TOP = 24;
    private static final double BOTTOM = 384;

    @Override
    public double width() {
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return BOTTOM + 42 + Legend.height(labels(), FigureSizes.WIDTH);
    }

    private List<String> labels() {
        return clouds.stream().map(Cloud::label).toList();
    }

    @Override
    public void draw(Canvas canvas) {
        // The same values on both scales: equal gain and cost lie on a straight line.
        List<Double> all = clouds.stream()
                .flatMap(c -> c.points().stream())
                .flatMap(p -> Stream.of(p.cost(), Math.max(0, p.gain())))
                .toList();
        Scale x = LogTimeScale.of(all, LEFT, RIGHT);
        Scale y = LogTimeScale.of(all, BOTTOM, TOP);
        new Frame(x, y).draw(canvas, xName, yName);
        double low = all.stream()
                .mapToDouble(v -> v)
                .filter(v -> x.at(v) > LEFT)
                .min()
                .orElse(1);
        double high = all.stream().mapToDouble(v -> v).max().orElse(10);
        canvas.line(x.at(low), y.at(low), x.at(high), y.at(high), LineStyle.solid(PlotColor.TEXT, 1.2));
        for (int i = 0; i < clouds.size(); i++) {
            for (CostGainPoint point : clouds.get(i).points()) {
                canvas.marker(
                        x.at(point.cost()),
                        y.at(Math.max(0, point.gain())),
                        3.4,
                        Marker.series(i),
                        PlotColor.series(i));
            }
        }
        canvas.text(
                x.at(high) - 30,
                y.at(high) + 6,
                Anchor.END,
                TextStyle.LABEL.withColor(PlotColor.TEXT).withHalo(),
                "above this line the gain is larger");
        Legend.draw(canvas, labels(), LEFT, BOTTOM + 42, FigureSizes.WIDTH);
    }
}
