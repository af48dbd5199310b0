package dev.fermata.live.attempt;

/** Converts untrusted text to one harmless line. */
public final class SingleLine {
    private SingleLine() {}

    /** Without control characters and invisible marks, cut to a length. */
    public static String of(String text, int max) {
        StringBuilder kept = new StringBuilder();
        text.codePoints().limit(16L * max).forEach(point -> {
            if (isVisible(point)) {
                kept.appendCodePoint(point);
            } else if (point == '\t') {
                kept.append(' ');
            }
        });
        String line = kept.toString().strip();
        if (line.length() <= max) {
            return line;
        }
        int end = Character.isHighSurrogate(line.charAt(max - 2)) ? max - 2 : max - 1;
        return line.substring(0, end) + "…";
    }

    /** Removes what moves the cursor, changes colours, or reverses the reading direction. */
    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
