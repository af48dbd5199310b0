package dev.fermata.app.report.plot;

import java.util.Locale;

/**
 * The colours of all drawings, on light and on dark paper. Those of series follow Okabe and Ito's set, which people with any
 * colour vision tell apart; a few are darker here, so that a thin line is seen on white.
 */
public enum Ink {
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

    private static final Ink[] SERIES = {BLUE, VERMILLION, GREEN, PURPLE, OCHRE, SKY, BLACK};

    private final String light;
    private final String dark;

    Ink(String light, String dark) {
        this.light = light;
        this.dark = dark;
    }

    /** The colour of the n-th series; they come again after seven, with other dashes and markers. */
    public static Ink series(int n) {
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
        for (Ink ink : values()) {
            css.append(":root { --")
                    .append(ink.cssName())
                    .append(": ")
                    .append(ink.light)
                    .append("; }\n");
            dark.append(" --")
                    .append(ink.cssName())
                    .append(": ")
                    .append(ink.dark)
                    .append(';');
        }
        css.append("@media screen and (prefers-color-scheme: dark) { :root {")
                .append(dark)
                .append(" } }\n");
        for (Ink ink : values()) {
            css.append(".s-")
                    .append(ink.cssName())
                    .append(" { stroke: var(--")
                    .append(ink.cssName())
                    .append("); }\n");
            css.append(".f-")
                    .append(ink.cssName())
                    .append(" { fill: var(--")
                    .append(ink.cssName())
                    .append("); }\n");
        }
        return css.toString();
    }
}
