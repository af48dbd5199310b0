package dev.fermata.report.plot;

import java.util.Locale;

/**
 * The colours of all drawings, on light and on dark paper. Those of series follow Okabe and Ito's set, which people with any
 * colour vision can distinguish; a few are darker here, so that a thin line is seen on white.
 */
public enum PlotColor {
    TEXT("#1b1f24", "#e6e9ed"),
    FAINT("#59636e", "#a3adb8"),
    RULE("#d5dae0", "#39414b"),
    PAPER("#ffffff", "#14171b"),
    BLUE("#0072b2", "#56b4e9"),
    VERMILLION("#d55e00", "#ff9b52"),
    GREEN("#00805c", "#2cc79a"),
    PURPLE("#b0528a", "#e79cc6"),
    OCHRE("#a87400", "#f0b93a"),
    SKY("#2b8fc4", "#a6d8f5"),
    BLACK("#333333", "#d6d6d6");

    private static final PlotColor[] SERIES = {BLUE, VERMILLION, GREEN, PURPLE, OCHRE, SKY, BLACK};

    private final String light;
    private final String dark;

    PlotColor(String light, String dark) {
        this.light = light;
        this.dark = dark;
    }

    /** The colour of the n-th series; colours repeat after seven, with other dashes and markers. */
    public static PlotColor series(int n) {
        return SERIES[Math.floorMod(n, SERIES.length)];
    }

    /** As the style sheet knows it. */
    public String cssName() {
        return "ink-" + name().toLowerCase(Locale.ROOT);
    }

    public String light() {
        return light;
    }

    String dark() {
        return dark;
    }

    /** Rules that give drawings these colours: a variable for each, and classes for strokes, areas and words. */
    public static String styleSheet() {
        StringBuilder css = new StringBuilder();
        StringBuilder dark = new StringBuilder();
        for (PlotColor color : values()) {
            css.append(":root { --")
                    .append(color.cssName())
                    .append(": ")
                    .append(color.light)
                    .append("; }\n");
            dark.append(" --")
                    .append(color.cssName())
                    .append(": ")
                    .append(color.dark)
                    .append(';');
        }
        css.append("@media screen and (prefers-color-scheme: dark) { :root {")
                .append(dark)
                .append(" } }\n");
        for (PlotColor color : values()) {
            css.append(".s-")
                    .append(color.cssName())
                    .append(" { stroke: var(--")
                    .append(color.cssName())
                    .append("); }\n");
            css.append(".f-")
                    .append(color.cssName())
                    .append(" { fill: var(--")
                    .append(color.cssName())
                    .append("); }\n");
        }
        return css.toString();
    }
}
