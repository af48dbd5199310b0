package dev.fermata.app.report.figure;

/** Measures that all pictures share. */
final class Sizes {
    static final double WIDTH = 760;
    /** A letter of a name is about this wide. */
    static final double LETTER = 6.8;

    private Sizes() {}

    /** The text, or its beginning and an ellipsis when it has more characters than that. */
    static String cut(String text, int most) {
        int length = text.codePointCount(0, text.length());
        return length <= most ? text : text.substring(0, text.offsetByCodePoints(0, most - 1)) + "…";
    }
}
