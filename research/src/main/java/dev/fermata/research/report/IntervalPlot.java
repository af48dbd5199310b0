package dev.fermata.research.report;

import dev.fermata.report.html.HtmlWriter;
import dev.fermata.report.html.SvgWriter;
import dev.fermata.report.plot.Axis;
import dev.fermata.research.Finding;
import java.util.ArrayList;
import java.util.List;

/** Published (an open diamond) and measured (a dot with its confidence interval) values on one line. */
final class IntervalPlot {
    private static final double WIDTH = 260;
    private static final double HEIGHT = 52;
    private static final double MARGIN = 22;
    /** Published above, measured below, so that neither hides the other. */
    private static final double PUBLISHED = 9;

    private static final double LINE = 24;
    private static final double CAP = 5;
    private static final int MAX_TICKS = 3;

    private IntervalPlot() {}

    static void draw(HtmlWriter html, Finding finding) {
        double mean = finding.measured().mean();
        double low = mean - finding.measured().halfWidth();
        double high = mean + finding.measured().halfWidth();
        boolean nothingToCompare = finding.published().isEmpty() && high == low;
        if (nothingToCompare || !Double.isFinite(low) || !Double.isFinite(high)) {
            return;
        }
        MetricName metric = new MetricName(finding.metric());
        List<Double> values = new ArrayList<>(List.of(0.0, low, high));
        finding.published().ifPresent(values::add);
        Axis axis = Axis.around(values, MARGIN, WIDTH - MARGIN);
        try (SvgWriter svg = new SvgWriter(html, WIDTH, HEIGHT, "plot", label(finding, metric, low, high))) {
            svg.line(MARGIN, LINE, WIDTH - MARGIN, LINE, "axis");
            for (double tick : axis.ticks(MAX_TICKS)) {
                double x = axis.at(tick);
                svg.line(x, LINE - 6, x, LINE + 8, tick == 0 ? "zero" : "tick");
                svg.text(x, HEIGHT - 5, "middle", "label", metric.tick(tick));
            }
            svg.line(axis.at(low), LINE, axis.at(high), LINE, "whisker");
            if (high > low) {
                svg.line(axis.at(low), LINE - CAP, axis.at(low), LINE + CAP, "whisker");
                svg.line(axis.at(high), LINE - CAP, axis.at(high), LINE + CAP, "whisker");
            }
            svg.circle(axis.at(mean), LINE, 4.5, "measured");
            finding.published().ifPresent(published -> {
                double x = axis.at(published);
                svg.line(x, PUBLISHED, x, LINE + CAP, "reach").diamond(x, PUBLISHED, 6, "published");
            });
        }
    }

    private static String label(Finding finding, MetricName metric, double low, double high) {
        String published = finding.published().isPresent()
                ? "published " + metric.format(finding.published().getAsDouble()) + ", "
                : "";
        return published + "measured " + metric.format(finding.measured().mean()) + ", between " + metric.format(low)
                + " and " + metric.format(high);
    }
}
