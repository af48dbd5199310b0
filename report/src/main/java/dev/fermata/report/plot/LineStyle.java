package dev.fermata.report.plot;

import java.util.List;

/** How a line is drawn: colour, width, and lengths of dashes and gaps in turn (none for a solid line). */
public record LineStyle(PlotColor color, double width, List<Double> dash) {
    /** As different from each other as dashes can be. */
    private static final List<List<Double>> DASHES = List.of(
            List.of(),
            List.of(7.0, 3.0),
            List.of(2.0, 2.0),
            List.of(9.0, 3.0, 2.0, 3.0),
            List.of(4.0, 2.0, 1.0, 2.0),
            List.of(14.0, 4.0));

    public static LineStyle solid(PlotColor color, double width) {
        return new LineStyle(color, width, List.of());
    }

    /** The line of the n-th series: colours and dashes go round at different lengths, so that pairs differ for long. */
    public static LineStyle series(int n) {
        return new LineStyle(PlotColor.series(n), 2, DASHES.get(Math.floorMod(n, DASHES.size())));
    }
}
