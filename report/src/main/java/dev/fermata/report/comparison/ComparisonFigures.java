package dev.fermata.report.comparison;

import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.figure.BoxPlot;
import dev.fermata.report.figure.CdfPlot;
import dev.fermata.report.figure.GanttPlot;
import dev.fermata.report.figure.ScatterPlot;
import dev.fermata.report.figure.StripPlot;
import dev.fermata.report.plot.Plot;
import dev.fermata.sim.recording.ClusterTimeSeries;
import dev.fermata.sim.recording.EmpiricalCdf;
import dev.fermata.sim.recording.GanttChart;
import dev.fermata.sim.recording.RecordedPreemptions;
import dev.fermata.sim.recording.RunRecording;
import dev.fermata.sim.recording.WaitDistribution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/** The figures of one setting, made from the recordings of its runs. */
public final class ComparisonFigures {
    /** The most points of all curves of one type in a page, so that many policies do not make it large. */
    private static final int POINTS_OF_A_PAGE = 12_000;

    private static final int DOTS_OF_A_PAGE = 2400;
    private static final int MIN_POINTS = 80;

    private final Comparison.Group panel;
    private final int pointsPerCurve;
    private final int pointsPerCloud;
    private final String seeds;

    public ComparisonFigures(Comparison comparison, Comparison.Group panel) {
        this.panel = panel;
        this.pointsPerCurve = Math.max(
                MIN_POINTS,
                Math.min(
                        EmpiricalCdf.MAX_POINTS,
                        POINTS_OF_A_PAGE / comparison.rows().size()));
        this.pointsPerCloud = Math.max(
                40,
                Math.min(
                        EmpiricalCdf.MAX_POINTS,
                        DOTS_OF_A_PAGE / comparison.rows().size()));
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
                        RunRecording::completionTimes),
                cdf(
                        "wait-cdf",
                        "Time in the queue",
                        "How many of the jobs waited no longer than this, all their waits added up.",
                        "time in the queue",
                        RunRecording::waitingTimes));
    }

    private Plot cdf(String name, String title, String what, String xName, Function<RunRecording, EmpiricalCdf> curve) {
        List<CdfPlot.CdfLine> lines = panel.rows().stream()
                .map(row -> new CdfPlot.CdfLine(
                        row.label(),
                        EmpiricalCdf.merged(row.recordings().stream().map(curve).toList())
                                .downsampled(pointsPerCurve)))
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
                ClusterTimeSeries::utilization));
        plots.add(strips(
                "queue-jobs",
                "Jobs waiting",
                "Jobs in the queue, on a logarithmic scale.",
                0,
                HumanFormat::count,
                (s, i) -> s.waitingJobs().get(i)));
        plots.add(strips(
                "queue-gpus",
                "GPUs waited for",
                "GPUs that the jobs in the queue request, on a logarithmic scale.",
                0,
                HumanFormat::count,
                (s, i) -> s.waitingGpus().get(i)));
        if (panel.first().setting().cluster().topology().nodes().size() > 1) {
            plots.add(strips(
                    "fragmentation",
                    "Fragmentation",
                    "Of the free GPUs, the share on nodes that are partly in use.",
                    1,
                    v -> Math.round(v * 100) + " %",
                    ClusterTimeSeries::fragmentation));
        }
        return plots;
    }

    private interface SeriesReading {
        double of(ClusterTimeSeries series, int bucket);
    }

    /** @param top of the scale; 0 for a logarithmic one as high as the highest */
    private Plot strips(
            String name, String title, String what, double top, DoubleFunction<String> show, SeriesReading reading) {
        List<StripPlot.Strip> strips = new ArrayList<>();
        double max = 0;
        for (Comparison.Row row : panel.rows()) {
            ClusterTimeSeries series = row.recordings().get(0).series();
            StripPlot.Strip strip = strip(row.label(), series, reading);
            for (double value : strip.values()) {
                max = Math.max(max, value);
            }
            strips.add(strip);
        }
        return new StripPlot(name, title, what + oneSeed(), top > 0 ? top : roundTop(max), top == 0, show, strips);
    }

    /** A power of ten, so that the lines of the scale end with it. */
    private static double roundTop(double max) {
        return Math.pow(10, Math.max(1, Math.ceil(Math.log10(Math.max(1, max)))));
    }

    /** Neighbouring buckets are joined where there are more than the page has room for. */
    private StripPlot.Strip strip(String label, ClusterTimeSeries series, SeriesReading reading) {
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

    /** One for each grouping with more than one group. */
    public List<Plot> waits() {
        List<Plot> plots = new ArrayList<>();
        for (WaitDistribution.Grouping grouping : WaitDistribution.Grouping.values()) {
            List<BoxPlot.BoxGroup> parts = new ArrayList<>();
            for (String label : labels(grouping)) {
                parts.add(new BoxPlot.BoxGroup(
                        grouping == WaitDistribution.Grouping.SIZE ? gpus(label) : label, boxes(grouping, label)));
            }
            if (!parts.isEmpty()) {
                plots.add(new BoxPlot(
                        "waits-by-" + grouping.label(),
                        "Waiting by " + (grouping == WaitDistribution.Grouping.SIZE ? "job size" : "job class"),
                        "The box holds the middle half of the jobs; the upright line is the median, the diamond the mean, the"
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

    private List<String> labels(WaitDistribution.Grouping grouping) {
        return panel.rows().stream()
                .flatMap(row -> row.recordings().stream())
                .flatMap(recording -> recording.waitingByGroup().stream())
                .filter(group -> group.grouping() == grouping)
                .map(WaitDistribution::label)
                .distinct()
                .sorted(Comparator.comparingInt(ComparisonFigures::firstNumber)) // classes stay as they come
                .toList();
    }

    private static int firstNumber(String label) {
        String digits = label.replaceAll("[^0-9].*", "");
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }

    private List<BoxPlot.Box> boxes(WaitDistribution.Grouping grouping, String label) {
        List<BoxPlot.Box> boxes = new ArrayList<>();
        for (int i = 0; i < panel.rows().size(); i++) {
            Comparison.Row row = panel.rows().get(i);
            List<WaitDistribution> same = row.recordings().stream()
                    .flatMap(recording -> recording.waitingByGroup().stream())
                    .filter(group ->
                            group.grouping() == grouping && group.label().equals(label))
                    .toList();
            if (!same.isEmpty()) {
                boxes.add(new BoxPlot.Box(row.label(), i, WaitDistribution.average(same)));
            }
        }
        return boxes;
    }

    /** Cost and gain of the pauses: as estimated by the policies that weigh them, and as they turned out. */
    public List<Plot> preemptions() {
        List<Plot> plots = new ArrayList<>();
        add(
                plots,
                "pauses-expected",
                "Gain and cost as expected",
                "Expected gain and cost at the decision, for policies that weigh them. Each point is one decision.",
                PreemptionResult::hasEstimates,
                p -> new ScatterPlot.CostGainPoint(p.expectedCostMillis() / 1000.0, p.expectedGainMillis() / 1000.0));
        add(
                plots,
                "pauses-actual",
                "Actual gain and cost",
                "The victims’ time away and work to repeat, against the most that the beneficiary saved. A point at"
                        + " 0 gained nothing or less.",
                p -> !p.isMove(),
                p -> new ScatterPlot.CostGainPoint(p.costMillis() / 1000.0, p.gainMillis() / 1000.0));
        return plots;
    }

    private void add(
            List<Plot> plots,
            String name,
            String title,
            String what,
            Predicate<PreemptionResult> shown,
            Function<PreemptionResult, ScatterPlot.CostGainPoint> point) {
        List<ScatterPlot.Cloud> clouds = new ArrayList<>();
        long drawn = 0;
        long all = 0;
        for (Comparison.Row row : panel.rows()) {
            RecordedPreemptions preemptions = row.recordings().get(0).preemptions();
            List<PreemptionResult> sample =
                    preemptions.sample().stream().filter(shown).toList();
            int stride = Math.max(1, (sample.size() + pointsPerCloud - 1) / pointsPerCloud);
            List<ScatterPlot.CostGainPoint> points = new ArrayList<>();
            for (int i = 0; i < sample.size(); i += stride) {
                points.add(point.apply(sample.get(i)));
            }
            clouds.add(new ScatterPlot.Cloud(row.label(), points));
            drawn += points.size();
            all += sample.isEmpty() ? 0 : preemptions.totals().preemptions();
        }
        if (drawn > 0) {
            String some =
                    drawn < all ? " Drawn are " + HumanFormat.count(drawn) + " of " + HumanFormat.count(all) + "." : "";
            plots.add(new ScatterPlot(name, title, what + some + oneSeed(), "cost", "gain", clouds));
        }
    }

    /** The GPUs under each policy, for runs recorded in full detail. */
    public List<GanttPlot> ganttPlots() {
        List<GanttPlot> plots = new ArrayList<>();
        for (int i = 0; i < panel.rows().size(); i++) {
            Comparison.Row row = panel.rows().get(i);
            GanttChart gantt = row.recordings().get(0).gantt();
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
