package dev.fermata.report.figure;

/** Measures that all pictures share. */
final class FigureSizes {
    static final double WIDTH = 760;
    /** A letter of a name is about this wide. */
    static final double LETTER = 6.8;

    private FigureSizes() {}

    /** The text, or its beginning and an ellipsis when it has more characters than that. */
    static String truncate(String text, int max) {
        int length = text.codePointCount(0, text.length());
        return length <= max ? text : text.substring(0, text.offsetByCodePoints(0, max - 1)) + "…";
    }
}
