package dev.fermata.report.html;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** A drawing inside a page. Colours come from the style sheet, by class, so that they follow light, dark and paper. */
public final class SvgWriter implements AutoCloseable {
    private final HtmlWriter html;

    /** @param label the content of the drawing, for screen readers */
    public SvgWriter(HtmlWriter html, double width, double height, String cssClass, String label) {
        this.html = html;
        html.open(
                "svg",
                "class",
                cssClass,
                "viewBox",
                "0 0 " + number(width) + " " + number(height),
                "width",
                number(width),
                "height",
                number(height),
                "role",
                "img",
                "aria-label",
                label);
    }

    public SvgWriter line(double x1, double y1, double x2, double y2, String cssClass) {
        html.empty("line", "class", cssClass, "x1", number(x1), "y1", number(y1), "x2", number(x2), "y2", number(y2));
        return this;
    }

    public SvgWriter rect(double x, double y, double width, double height, String cssClass) {
        html.empty(
                "rect",
                "class",
                cssClass,
                "x",
                number(x),
                "y",
                number(y),
                "width",
                number(width),
                "height",
                number(height));
        return this;
    }

    public SvgWriter circle(double x, double y, double radius, String cssClass) {
        html.empty("circle", "class", cssClass, "cx", number(x), "cy", number(y), "r", number(radius));
        return this;
    }

    /** A square on its tip. */
    public SvgWriter diamond(double x, double y, double radius, String cssClass) {
        html.empty(
                "path",
                "class",
                cssClass,
                "d",
                "M" + number(x) + " " + number(y - radius) + "L" + number(x + radius) + " " + number(y) + "L"
                        + number(x) + " " + number(y + radius) + "L" + number(x - radius) + " " + number(y) + "Z");
        return this;
    }

    /** @param anchor start, middle or end: which part of the text stands at x */
    public SvgWriter text(double x, double y, String anchor, String cssClass, String text) {
        html.leaf("text", text, "class", cssClass, "x", number(x), "y", number(y), "text-anchor", anchor);
        return this;
    }

    @Override
    public void close() {
        html.close();
    }

    /** Two decimals are finer than any screen. */
    public static String number(double value) {
        return BigDecimal.valueOf(value)
                .setScale(2, RoundingMode.HALF_EVEN)
                .stripTrailingZeros()
                .toPlainString();
    }
}
