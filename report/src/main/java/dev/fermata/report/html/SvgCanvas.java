package dev.fermata.report.html;

import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.FillStyle;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.TextStyle;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Draws into a page. Colours are classes of the style sheet, so that they follow light, dark and paper; everything else is in the
 * drawing itself.
 */
public final class SvgCanvas implements Canvas {
    /** A tenth of a pixel is finer than the eye; a window may be looked at a thousand times larger. */
    private static final double FINE = 10;

    private static final double FINER = 1000;
    private static final double TILE = 6;

    private final HtmlWriter html;
    private final String id;
    private final Map<String, FillStyle> patterns = new TreeMap<>();
    private double grain = FINE;

    private SvgCanvas(HtmlWriter html, String id) {
        this.html = html;
        this.id = id;
    }

    /** @param id is the drawing's alone in its page */
    public static void draw(HtmlWriter html, Plot plot, String id) {
        html.open(
                "svg",
                "class",
                "chart",
                "id",
                id,
                "viewBox",
                "0 0 " + (int) Math.ceil(plot.width()) + " " + (int) Math.ceil(plot.height()),
                "role",
                "img",
                "fill",
                "none",
                "aria-labelledby",
                id + "-title",
                "aria-describedby",
                id + "-desc");
        html.leaf("title", plot.title(), "id", id + "-title");
        html.leaf("desc", plot.description(), "id", id + "-desc");
        SvgCanvas canvas = new SvgCanvas(html, id);
        plot.draw(canvas);
        canvas.definePatterns();
        html.close();
    }

    @Override
    public void path(
            double[] xs, double[] ys, boolean closed, @Nullable LineStyle lineStyle, @Nullable FillStyle fill) {
        if (xs.length == 0) {
            return;
        }
        StringBuilder d = new StringBuilder();
        String lastX = "";
        String lastY = "";
        for (int i = 0; i < xs.length; i++) {
            String x = number(xs[i]);
            String y = number(ys[i]);
            if (i == 0) {
                d.append('M').append(x).append(' ').append(y);
            } else if (!x.equals(lastX) && !y.equals(lastY)) {
                d.append('L').append(x).append(' ').append(y);
            } else if (!x.equals(lastX)) {
                d.append('H').append(x);
            } else if (!y.equals(lastY)) {
                d.append('V').append(y);
            }
            lastX = x;
            lastY = y;
        }
        if (closed) {
            d.append('Z');
        }
        shape("path", lineStyle, fill, "d", d.toString());
    }

    @Override
    public void rect(
            double x, double y, double width, double height, @Nullable LineStyle lineStyle, @Nullable FillStyle fill) {
        shape(
                "rect",
                lineStyle,
                fill,
                "x",
                number(x),
                "y",
                number(y),
                "width",
                number(width),
                "height",
                number(height));
    }

    private void shape(String tag, @Nullable LineStyle lineStyle, @Nullable FillStyle fill, String... place) {
        String area = "";
        String opacity = "";
        String pattern = "";
        if (fill != null && fill.pattern() == FillStyle.Pattern.NONE) {
            area = "f-" + fill.color().cssName();
            opacity = fill.opacity() == 1 ? "" : plain(fill.opacity());
        } else if (fill != null) {
            pattern = "url(#" + patternId(fill) + ")";
        }
        String line = lineStyle == null ? "" : "s-" + lineStyle.color().cssName();
        String[] look = {
            "class",
            (area + " " + line).strip(),
            "fill",
            pattern,
            "fill-opacity",
            opacity,
            "stroke-width",
            lineStyle == null || lineStyle.width() == 1 ? "" : plain(lineStyle.width()),
            "stroke-dasharray",
            lineStyle == null ? "" : dashes(lineStyle)
        };
        String[] all = java.util.Arrays.copyOf(look, look.length + place.length);
        System.arraycopy(place, 0, all, look.length, place.length);
        html.empty(tag, all);
    }

    private static String dashes(LineStyle lineStyle) {
        return lineStyle.dash().stream().map(SvgCanvas::plain).collect(Collectors.joining(" "));
    }

    private String patternId(FillStyle fill) {
        String name = id + "-" + fill.pattern().name().toLowerCase(Locale.ROOT) + "-"
                + fill.color().cssName();
        patterns.put(name, fill);
        return name;
    }

    /** A pattern holds its own colour: lines, and a wash of the same below them. */
    private void definePatterns() {
        if (patterns.isEmpty()) {
            return;
        }
        html.open("defs");
        patterns.forEach((name, fill) -> {
            html.open(
                    "pattern",
                    "id",
                    name,
                    "class",
                    "tile",
                    "patternUnits",
                    "userSpaceOnUse",
                    "width",
                    plain(TILE),
                    "height",
                    plain(TILE));
            String color = fill.color().cssName();
            html.empty(
                    "rect",
                    "class",
                    "f-" + color,
                    "fill-opacity",
                    plain(fill.opacity()),
                    "width",
                    plain(TILE),
                    "height",
                    plain(TILE));
            html.empty("path", "class", "s-" + color, "d", tile(fill.pattern()));
            html.close();
        });
        html.close();
    }

    private static String tile(FillStyle.Pattern pattern) {
        return switch (pattern) {
            case RISING -> "M-1 1L1 -1M-1 7L7 -1M5 7L7 5";
            case UPRIGHT -> "M1.5 0V6M4.5 0V6";
            case CROSSED -> "M0 0L6 6M0 6L6 0";
            case NONE -> "";
        };
    }

    @Override
    public void text(double x, double y, Anchor anchor, TextStyle textStyle, String text) {
        html.leaf(
                "text",
                text,
                "class",
                "f-" + textStyle.color().cssName() + (textStyle.halo() ? " halo" : ""),
                "x",
                number(x),
                "y",
                number(y),
                "font-size",
                plain(textStyle.size()),
                "font-weight",
                textStyle.bold() ? "600" : "",
                "text-anchor",
                anchor == Anchor.START ? "" : anchor.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public void tick(double x, double y, Anchor anchor, String text) {
        html.open("g", "class", "ticks");
        text(x, y, anchor, TextStyle.LABEL, text);
        html.close();
    }

    @Override
    public void begin(String words) {
        html.open("g", "class", "described").leaf("title", words);
    }

    @Override
    public void end() {
        html.close();
    }

    @Override
    public void beginWindow(double x, double y, double width, double height) {
        html.open(
                "svg",
                "class",
                "window",
                "x",
                number(x),
                "y",
                number(y),
                "width",
                number(width),
                "height",
                number(height),
                "viewBox",
                "0 0 " + number(width) + " " + number(height),
                "preserveAspectRatio",
                "none");
        grain = FINER;
    }

    @Override
    public void endWindow() {
        grain = FINE;
        html.close();
    }

    private String number(double value) {
        return plain(Math.round(value * grain) / grain);
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
