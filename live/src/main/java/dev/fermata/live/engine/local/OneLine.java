package dev.fermata.live.engine.local;

/** Text from outside as one harmless line. */
final class OneLine {
    private OneLine() {}

    /** Without control characters and invisible marks, and cut to a length. */
    static String of(String text, int longest) {
        StringBuilder kept = new StringBuilder();
        text.codePoints().limit(16L * longest).forEach(point -> {
            if (shows(point)) {
                kept.appendCodePoint(point);
            } else if (point == '\t') {
                kept.append(' ');
            }
        });
        String line = kept.toString().strip();
        if (line.length() <= longest) {
            return line;
        }
        int end = Character.isHighSurrogate(line.charAt(longest - 2)) ? longest - 2 : longest - 1;
        return line.substring(0, end) + "…";
    }

    /** Not what moves the cursor, changes colours, or turns the direction of reading. */
    private static boolean shows(int point) {
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
