package dev.fermata.report.figure;

import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Canvas.Anchor;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.Marker;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.TextStyle;
import java.util.List;

/** The legend of lines and markers, in columns below a picture; empty for a single one. */
final class Legend {
    private static final double ROW = 18;
    private static final double SAMPLE = 34;
    private static final int LONGEST = 40;

    private Legend() {}

    static double height(List<String> labels, double width) {
        return labels.size() < 2 ? 0 : rows(labels, width) * ROW + 6;
    }

    static void draw(Canvas canvas, List<String> labels, double left, double top, double width) {
        if (labels.size() < 2) {
            return;
        }
        int rows = rows(labels, width);
        for (int i = 0; i < labels.size(); i++) {
            int column = i / rows;
            double x = left + column * columnWidth(labels);
            double y = top + 8 + i % rows * ROW;
            canvas.line(x, y, x + SAMPLE - 6, y, LineStyle.series(i));
            canvas.marker(x + (SAMPLE - 6) / 2, y, 4.5, Marker.series(i), PlotColor.series(i));
            canvas.text(x + SAMPLE, y + 4, Anchor.START, TextStyle.NAME, FigureSizes.truncate(labels.get(i), LONGEST));
        }
    }

    private static int rows(List<String> labels, double width) {
        int columns = (int) Math.max(1, (width - 60) / columnWidth(labels));
        return (labels.size() + columns - 1) / columns;
    }

    private static double columnWidth(List<String> labels) {
        int longest = labels.stream()
                .mapToInt(l -> Math.min(LONGEST, l.length()))
                .max()
                .orElse(0);
        return SAMPLE + longest * FigureSizes.LETTER + 18;
    }
}
