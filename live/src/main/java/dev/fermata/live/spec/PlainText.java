package dev.fermata.live.spec;

import java.util.regex.Pattern;

/**
 * Text that is safe to show: without control characters of ASCII and Unicode, without those that reorder a line, and without
 * halves of surrogate pairs.
 */
public final class PlainText {
    private static final Pattern UNSAFE =
            Pattern.compile("[\\p{Cc}\\p{Cs}\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]");

    private PlainText() {}

    public static boolean isPlain(String text) {
        return !UNSAFE.matcher(text).find();
    }

    /** The text with a question mark for each such character. */
    public static String withoutControls(String text) {
        return UNSAFE.matcher(text).replaceAll("?");
    }
}
