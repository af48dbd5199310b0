package dev.fermata.app.report.plot;

/** How an area is filled: a colour, how much of it, and a pattern that is told apart without colour. */
public record Fill(Ink ink, double opacity, Pattern pattern) {
    /** Lines over the area. */
    public enum Pattern {
        NONE,
        RISING,
        UPRIGHT,
        CROSSED
    }

    public static Fill plain(Ink ink, double opacity) {
        return new Fill(ink, opacity, Pattern.NONE);
    }
}
