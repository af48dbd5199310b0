package dev.fermata.app.output;

/** Text of others, made fit for a terminal: nothing in it can move the cursor, change the title or turn letters around. */
public final class Harmless {
    private static final char PICTURES = '\u2400';
    private static final char DELETE_PICTURE = '\u2421';
    private static final char UNKNOWN = '\ufffd';

    private Harmless() {}

    /** The text on one line, with a picture in the place of every control character. */
    public static String line(String text) {
        int i = 0;
        while (i < text.length() && !harmful(text.charAt(i))) {
            i++;
        }
        if (i == text.length()) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length()).append(text, 0, i);
        for (; i < text.length(); i++) {
            char c = text.charAt(i);
            shown.append(c == '\n' || c == '\t' ? ' ' : harmful(c) ? picture(c) : c);
        }
        return shown.toString();
    }

    /** Control characters, and the marks that let text run the other way. */
    static boolean harmful(char c) {
        return c < ' '
                || (c >= 0x7f && c <= 0x9f)
                || (c >= 0x2028 && c <= 0x202e)
                || (c >= 0x2066 && c <= 0x2069)
                || c == 0x200e
                || c == 0x200f
                || c == 0x061c;
    }

    static char picture(char c) {
        return c < ' ' ? (char) (PICTURES + c) : c == 0x7f ? DELETE_PICTURE : UNKNOWN;
    }
}
