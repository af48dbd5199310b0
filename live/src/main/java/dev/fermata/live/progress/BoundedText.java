package dev.fermata.live.progress;

/**
 * A line under a pattern that a user wrote. It stops the match after so many characters were looked at: a pattern that
 * backtracks without end costs little. Used for one match only.
 */
final class BoundedText implements CharSequence {
    private static final int MAX_READS = 20_000;

    /** The pattern looks at too many characters. */
    static final class TooManyReadsException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyReadsException() {
            super("the pattern backtracks too much", null, false, false);
        }
    }

    private final String text;
    private int reads;

    BoundedText(String text) {
        this.text = text;
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        if (++reads > MAX_READS) {
            throw new TooManyReadsException();
        }
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
