package dev.fermata.report.text;

/** Text of others made safe for a terminal: it cannot move the cursor, change the title or reverse letters. */
public final class TerminalText {
    private static final char SYMBOLS = '\u2400';
    private static final char DELETE_SYMBOL = '\u2421';
    private static final char UNKNOWN = '\ufffd';

    private TerminalText() {}

    /** The text on one line, with a picture in the place of every control character. */
    public static String escape(String text) {
        int i = 0;
        while (i < text.length() && !isControl(text.charAt(i))) {
            i++;
        }
        if (i == text.length()) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length()).append(text, 0, i);
        for (; i < text.length(); i++) {
            char c = text.charAt(i);
            shown.append(c == '\n' || c == '\t' ? ' ' : isControl(c) ? symbol(c) : c);
        }
        return shown.toString();
    }

    /** Control characters, and the marks that let text run the other way. */
    public static boolean isControl(char c) {
        return c < ' '
                || (c >= 0x7f && c <= 0x9f)
                || (c >= 0x2028 && c <= 0x202e)
                || (c >= 0x2066 && c <= 0x2069)
                || c == 0x200e
                || c == 0x200f
                || c == 0x061c;
    }

    public static char symbol(char c) {
        return c < ' ' ? (char) (SYMBOLS + c) : c == 0x7f ? DELETE_SYMBOL : UNKNOWN;
    }
}
