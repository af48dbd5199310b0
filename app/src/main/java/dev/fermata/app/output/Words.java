package dev.fermata.app.output;

import java.util.ArrayList;
import java.util.List;

/** Breaks text into lines at spaces. */
public final class Words {
    private Words() {}

    /** A word longer than the width stays whole on a line of its own. */
    public static List<String> wrap(String text, int width) {
        if (text.length() <= width) {
            return List.of(text); // as it is, spaces at its beginning included
        }
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
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
