package dev.fermata.report.plot;

/** How an area is filled: a colour, how much of it, and a pattern that is distinguishable without colour. */
public record FillStyle(PlotColor color, double opacity, Pattern pattern) {
    /** Lines over the area. */
    public enum Pattern {
        NONE,
        RISING,
        UPRIGHT,
        CROSSED
    }

    public static FillStyle plain(PlotColor color, double opacity) {
        return new FillStyle(color, opacity, Pattern.NONE);
    }
}
