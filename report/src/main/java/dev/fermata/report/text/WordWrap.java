package dev.fermata.report.text;

import java.util.ArrayList;
import java.util.List;

/** Breaks text into lines at spaces. */
public final class WordWrap {
    /** A number keeps its sign of percent. */
    private static final String LINE_BREAK = " (?!%)";

    private WordWrap() {}

    /** The same text with spaces that browsers do not break at, where {@link #wrap} would not either. */
    public static String keepTogether(String text) {
        return text.replace(" %", "\u00a0%");
    }

    /** A word longer than the width stays whole on a line of its own. */
    public static List<String> wrap(String text, int width) {
        if (text.length() <= width) {
            return List.of(text); // as it is, spaces at its beginning included
        }
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(LINE_BREAK, -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
