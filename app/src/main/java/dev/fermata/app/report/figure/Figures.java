package dev.fermata.app.report.figure;

import dev.fermata.app.output.Humane;
import dev.fermata.app.report.Comparison;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.core.measure.Preemption;
import dev.fermata.sim.portrait.Curve;
import dev.fermata.sim.portrait.Gantt;
import dev.fermata.sim.portrait.Group;
import dev.fermata.sim.portrait.Portrait;
import dev.fermata.sim.portrait.Preemptions;
import dev.fermata.sim.portrait.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/** The pictures of one setting, made from the portraits of its runs. */
public final class Figures {
    /** Points of all curves of one kind in a page, so that many policies do not make it heavy. */
    private static final int POINTS_OF_A_PAGE = 12_000;

    private static final int DOTS_OF_A_PAGE = 2400;
    private static final int FEWEST_POINTS = 80;

    private final Comparison.Group panel;
    private final int pointsPerCurve;
    private final int pointsPerCloud;
    private final String seeds;

    public Figures(Comparison comparison, Comparison.Group panel) {
        this.panel = panel;
        this.pointsPerCurve = Math.max(
                FEWEST_POINTS,
                Math.min(Curve.MOST_POINTS, POINTS_OF_A_PAGE / comparison.rows().size()));
        this.pointsPerCloud = Math.max(
                40,
                Math.min(Curve.MOST_POINTS, DOTS_OF_A_PAGE / comparison.rows().size()));
        this.seeds =
                comparison.seeds().size() > 1 ? " All " + comparison.seeds().size() + " seeds together." : "";
    }

    public List<Plot> distributions() {
        return List.of(
                cdf(
                        "jct-cdf",
                        "Completion time",
                        "How many of the jobs were done within what time after their submission.",
                        "completion time (JCT)",
                        Portrait::jct),
                cdf(
                        "wait-cdf",
                        "Time in the queue",
                        "How many of the jobs waited no longer than this, all their waits added up.",
                        "time in the queue",
                        Portrait::waiting));
    }

    private Plot cdf(String name, String title, String what, String xName, Function<Portrait, Curve> curve) {
        List<CdfPlot.Line> lines = panel.rows().stream()
                .map(row -> new CdfPlot.Line(
                        row.label(),
                        Curve.together(row.portraits().stream().map(curve).toList())
                                .thinned(pointsPerCurve)))
                .toList();
        return new CdfPlot(name, title, what + " Further left is better." + seeds, xName, lines);
    }

    public List<Plot> series() {
        List<Plot> plots = new ArrayList<>();
        plots.add(strips(
                "utilisation",
                "GPUs busy",
                "Share of the GPUs with a job that makes progress.",
                1,
                v -> Math.round(v * 100) + " %",
                Series::utilization));
        plots.add(strips(
                "queue-jobs",
                "Jobs waiting",
                "Jobs in the queue, on a logarithmic scale.",
                0,
                Humane::count,
                (s, i) -> s.waitingJobs().get(i)));
        plots.add(strips(
                "queue-gpus",
                "GPUs waited for",
                "GPUs that the jobs in the queue ask for, on a logarithmic scale.",
                0,
                Humane::count,
                (s, i) -> s.waitingGpus().get(i)));
        if (panel.first().setting().cluster().topology().nodes().size() > 1) {
            plots.add(strips(
                    "fragmentation",
                    "Fragmentation",
                    "Of the free GPUs, the share on nodes that are partly in use.",
                    1,
                    v -> Math.round(v * 100) + " %",
                    Series::fragmentation));
        }
        return plots;
    }

    private interface Reading {
        double of(Series series, int bucket);
    }

    /** @param top of the scale; 0 for a logarithmic one as high as the highest */
    private Plot strips(
            String name, String title, String what, double top, DoubleFunction<String> show, Reading reading) {
        List<StripPlot.Strip> strips = new ArrayList<>();
        double most = 0;
        for (Comparison.Row row : panel.rows()) {
            Series series = row.portraits().get(0).series();
            StripPlot.Strip strip = strip(row.label(), series, reading);
            for (double value : strip.values()) {
                most = Math.max(most, value);
            }
            strips.add(strip);
        }
        return new StripPlot(name, title, what + oneSeed(), top > 0 ? top : roundTop(most), top == 0, show, strips);
    }

    /** A power of ten, so that the lines of the scale end with it. */
    private static double roundTop(double most) {
        return Math.pow(10, Math.max(1, Math.ceil(Math.log10(Math.max(1, most)))));
    }

    /** Neighbouring buckets are joined where there are more than the page has room for. */
    private StripPlot.Strip strip(String label, Series series, Reading reading) {
        int n = series.size();
        int join = Math.max(1, (n + pointsPerCurve - 1) / pointsPerCurve);
        int wide = (n + join - 1) / join;
        List<Double> edges = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (int k = 0; k < wide; k++) {
            int from = k * join;
            int to = Math.min(n, from + join);
            double sum = 0;
            for (int i = from; i < to; i++) {
                sum += reading.of(series, i) * (series.toMillis(i) - series.fromMillis(i));
            }
            long span = series.toMillis(to - 1) - series.fromMillis(from);
            values.add(span == 0 ? 0 : sum / span);
            edges.add((series.fromMillis(from) - series.beginMillis()) / 1000.0);
        }
        edges.add((series.endMillis() - series.beginMillis()) / 1000.0);
        return new StripPlot.Strip(label, edges, values);
    }

    /** One for each kind of group that has more than one group. */
    public List<Plot> waits() {
        List<Plot> plots = new ArrayList<>();
        for (Group.Kind kind : Group.Kind.values()) {
            List<BoxPlot.Part> parts = new ArrayList<>();
            for (String label : labels(kind)) {
                parts.add(new BoxPlot.Part(kind == Group.Kind.SIZE ? gpus(label) : label, boxes(kind, label)));
            }
            if (!parts.isEmpty()) {
                plots.add(new BoxPlot(
                        "waits-by-" + kind.label(),
                        "Waiting by " + (kind == Group.Kind.SIZE ? "job size" : "job class"),
                        "The box holds the middle half of the jobs, the upright line is the median, the diamond the mean, the"
                                + " whiskers go from p5 to p95, the dot is the longest wait."
                                + (seeds.isEmpty() ? "" : " Each figure is the mean of the seeds’ figures."),
                        parts));
            }
        }
        return plots;
    }

    private static String gpus(String label) {
        return label.equals("1") ? "1 GPU" : label + " GPUs";
    }

    private List<String> labels(Group.Kind kind) {
        return panel.rows().stream()
                .flatMap(row -> row.portraits().stream())
                .flatMap(portrait -> portrait.waits().stream())
                .filter(group -> group.kind() == kind)
                .map(Group::label)
                .distinct()
                .sorted(Comparator.comparingInt(Figures::firstNumber)) // classes stay as they come
                .toList();
    }

    private static int firstNumber(String label) {
        String digits = label.replaceAll("[^0-9].*", "");
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    private List<BoxPlot.Box> boxes(Group.Kind kind, String label) {
        List<BoxPlot.Box> boxes = new ArrayList<>();
        for (int i = 0; i < panel.rows().size(); i++) {
            Comparison.Row row = panel.rows().get(i);
            List<Group> same = row.portraits().stream()
                    .flatMap(portrait -> portrait.waits().stream())
                    .filter(group -> group.kind() == kind && group.label().equals(label))
                    .toList();
            if (!same.isEmpty()) {
                boxes.add(new BoxPlot.Box(row.label(), i, Group.together(same)));
            }
        }
        return boxes;
    }

    /** What the pauses cost and gained: as the policies expected, where they weigh, and in hindsight. */
    public List<Plot> pauses() {
        List<Plot> plots = new ArrayList<>();
        add(
                plots,
                "pauses-expected",
                "Gain and cost as expected",
                "What the policies that weigh expected when they decided. Each point is one decision.",
                Preemption::weighed,
                p -> new ScatterPlot.Point(p.expectedCostMillis() / 1000.0, p.expectedGainMillis() / 1000.0));
        add(
                plots,
                "pauses-hindsight",
                "Gain and cost in hindsight",
                "What came of it: the victims’ time away and work to repeat, against what the beneficiary saved at most. A point at"
                        + " 0 gained nothing or less.",
                p -> !p.move(),
                p -> new ScatterPlot.Point(p.costMillis() / 1000.0, p.gainMillis() / 1000.0));
        return plots;
    }

    private void add(
            List<Plot> plots,
            String name,
            String title,
            String what,
            Predicate<Preemption> shown,
            Function<Preemption, ScatterPlot.Point> point) {
        List<ScatterPlot.Cloud> clouds = new ArrayList<>();
        long drawn = 0;
        long all = 0;
        for (Comparison.Row row : panel.rows()) {
            Preemptions preemptions = row.portraits().get(0).preemptions();
            List<Preemption> sample =
                    preemptions.sample().stream().filter(shown).toList();
            int stride = Math.max(1, (sample.size() + pointsPerCloud - 1) / pointsPerCloud);
            List<ScatterPlot.Point> points = new ArrayList<>();
            for (int i = 0; i < sample.size(); i += stride) {
                points.add(point.apply(sample.get(i)));
            }
            clouds.add(new ScatterPlot.Cloud(row.label(), points));
            drawn += points.size();
            all += sample.isEmpty() ? 0 : preemptions.totals().preemptions();
        }
        if (drawn > 0) {
            String some = drawn < all ? " Drawn are " + Humane.count(drawn) + " of " + Humane.count(all) + "." : "";
            plots.add(new ScatterPlot(name, title, what + some + oneSeed(), "cost", "gain", clouds));
        }
    }

    /** The GPUs under each policy whose run was watched so closely. */
    public List<GanttPlot> gantts() {
        List<GanttPlot> plots = new ArrayList<>();
        for (int i = 0; i < panel.rows().size(); i++) {
            Comparison.Row row = panel.rows().get(i);
            Gantt gantt = row.portraits().get(0).gantt();
            if (gantt != null) {
                plots.add(new GanttPlot("gantt-" + (i + 1), row.label(), gantt));
            }
        }
        return plots;
    }

    private String oneSeed() {
        return seeds.isEmpty() ? "" : " Seed " + panel.first().result().seed() + " only.";
    }
}
