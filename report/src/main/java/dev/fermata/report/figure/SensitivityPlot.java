package dev.fermata.report.figure;

import dev.fermata.report.plot.Axis;
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
import dev.fermata.sim.experiment.ConfidenceInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A measure in seconds against the value of a key: a line for each policy, with confidence intervals where there are seeds. */
public record SensitivityPlot(
        String name, String title, String description, String yName, KeyValues values, List<SensitivityLine> lines)
        implements Plot {
    /** One policy: an estimate for each value. */
    public record SensitivityLine(String label, List<ConfidenceInterval> estimates) {}

    private static final double LEFT = 62;
    private static final double RIGHT = FigureSizes.WIDTH - 150;
    private static final double TOP = 24;
    private static final double BOTTOM = 324;

    @Override
    public double width() {
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return BOTTOM
                + 42
                + Legend.height(lines.stream().map(SensitivityLine::label).toList(), FigureSizes.WIDTH);
    }

    @Override
    public void draw(Canvas canvas) {
        List<Double> all = lines.stream()
                .flatMap(l -> l.estimates().stream())
                .flatMap(e -> Stream.of(Math.max(0, e.mean() - e.halfWidth()), e.mean() + e.halfWidth()))
                .toList();
        Scale x = values.scale(LEFT + 14, RIGHT - 14);
        Scale y = LogTimeScale.of(all, BOTTOM, TOP);
        Frame frame = new Frame(new Scale.FixedScale(x::at, x.ticks(), LEFT, RIGHT), y);
        frame.draw(canvas, values.key(), yName);
        double[] heights = new double[lines.size()];
        for (int i = 0; i < heights.length; i++) {
            heights[i] = draw(canvas, lines.get(i), i, x, y);
        }
        double[] apart = LabelSpacing.spreadLabels(heights, 14, TOP, BOTTOM);
        for (int i = 0; i < heights.length; i++) {
            canvas.text(
                    RIGHT + 6,
                    apart[i] + 4,
                    Anchor.START,
                    TextStyle.NAME.withColor(PlotColor.series(i)).withHalo(),
                    FigureSizes.truncate(lines.get(i).label(), 20));
        }
        Legend.draw(canvas, lines.stream().map(SensitivityLine::label).toList(), LEFT, BOTTOM + 42, FigureSizes.WIDTH);
    }

    /** Answers the height at which the line ends. */
    private double draw(Canvas canvas, SensitivityLine line, int number, Scale x, Scale y) {
        List<Integer> order = values.order();
        double[] xs = new double[order.size()];
        double[] ys = new double[xs.length];
        List<double[]> whiskers = new ArrayList<>();
        for (int k = 0; k < xs.length; k++) {
            ConfidenceInterval estimate = line.estimates().get(order.get(k));
            xs[k] = x.at(values.place(order.get(k)));
            ys[k] = y.at(estimate.mean());
            whiskers.add(new double[] {
                y.at(Math.max(0, estimate.mean() - estimate.halfWidth())), y.at(estimate.mean() + estimate.halfWidth())
            });
        }
        canvas.path(xs, ys, false, LineStyle.series(number), null);
        for (int k = 0; k < xs.length; k++) {
            double[] whisker = whiskers.get(k);
            if (whisker[0] - whisker[1] > 1) {
                LineStyle lineStyle = LineStyle.solid(PlotColor.series(number), 1.3);
                canvas.line(xs[k], whisker[0], xs[k], whisker[1], lineStyle);
                canvas.line(xs[k] - 4, whisker[0], xs[k] + 4, whisker[0], lineStyle);
                canvas.line(xs[k] - 4, whisker[1], xs[k] + 4, whisker[1], lineStyle);
            }
            canvas.marker(xs[k], ys[k], 4.5, Marker.series(number), PlotColor.series(number));
        }
        return ys.length == 0 ? BOTTOM : ys[ys.length - 1];
    }

    /** The values of a key, as numbers where all of them are: {@code 0.9}, {@code noisy:0.5}; else side by side. */
    public record KeyValues(String key, List<String> texts, List<Double> numbers) {
        private static final double WIDE = 20;
        /** Less than a short word. */
        private static final double CLOSE = 44;

        public static KeyValues of(String key, List<String> texts) {
            List<Double> numbers = new ArrayList<>();
            String prefix = null;
            for (String text : texts) {
                int colon = text.lastIndexOf(':');
                String before = text.substring(0, colon + 1);
                String digits = text.substring(colon + 1);
                boolean number = digits.matches("-?[0-9]+(\\.[0-9]+)?([eE]-?[0-9]+)?");
                if (!number || (prefix != null && !prefix.equals(before))) {
                    return new KeyValues(key, texts, List.of());
                }
                prefix = before;
                numbers.add(Double.parseDouble(digits));
            }
            return new KeyValues(key, texts, numbers);
        }

        double place(int i) {
            return numbers.isEmpty() ? i : logarithmic() ? Math.log10(numbers.get(i)) : numbers.get(i);
        }

        /** From left to right. */
        List<Integer> order() {
            return Stream.iterate(0, i -> i + 1)
                    .limit(texts.size())
                    .sorted(java.util.Comparator.comparingDouble(this::place))
                    .toList();
        }

        private boolean logarithmic() {
            double low = numbers.stream().mapToDouble(v -> v).min().orElse(0);
            double high = numbers.stream().mapToDouble(v -> v).max().orElse(0);
            return low > 0 && high / low >= WIDE;
        }

        /** Every value gets a tick; those too close to be read side by side share one. */
        Scale scale(double begin, double end) {
            List<Integer> order = order();
            double first = place(order.get(0));
            double last = place(order.get(order.size() - 1));
            Axis axis = last > first ? new Axis(first, last, begin, end) : new Axis(first - 1, first + 1, begin, end);
            List<Scale.Tick> ticks = new ArrayList<>();
            for (int i : order) {
                Scale.Tick tick = new Scale.Tick(axis.at(place(i)), FigureSizes.truncate(texts.get(i), 16));
                Scale.Tick before = ticks.isEmpty() ? null : ticks.get(ticks.size() - 1);
                if (before != null && tick.at() - before.at() < CLOSE) {
                    ticks.set(ticks.size() - 1, new Scale.Tick(before.at(), before.label() + ", " + tick.label()));
                } else {
                    ticks.add(tick);
                }
            }
            return new Scale.FixedScale(axis::at, ticks, begin, end);
        }
    }
}
