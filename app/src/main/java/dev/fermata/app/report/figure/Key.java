package dev.fermata.app.report.figure;

import dev.fermata.app.report.plot.Canvas;
import dev.fermata.app.report.plot.Canvas.Anchor;
import dev.fermata.app.report.plot.Ink;
import dev.fermata.app.report.plot.Letters;
import dev.fermata.app.report.plot.Marker;
import dev.fermata.app.report.plot.Pen;
import java.util.List;

/** Which line and marker is whose, in columns below a picture; nothing for a single one. */
final class Key {
    private static final double ROW = 18;
    private static final double SAMPLE = 34;
    private static final int LONGEST = 40;

    private Key() {}

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
            canvas.line(x, y, x + SAMPLE - 6, y, Pen.series(i));
            canvas.marker(x + (SAMPLE - 6) / 2, y, 4.5, Marker.series(i), Ink.series(i));
            canvas.text(x + SAMPLE, y + 4, Anchor.START, Letters.NAME, Sizes.cut(labels.get(i), LONGEST));
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
        return SAMPLE + longest * Sizes.LETTER + 18;
    }
}
