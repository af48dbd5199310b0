package dev.fermata.core.policy;

/** Numbers as people write them: digits, a point, an exponent. Java's own suffixes and hexadecimals are not numbers here. */
public final class PlainNumber {
    private PlainNumber() {}

    public static double parse(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && "+-.eE".indexOf(c) < 0) {
                throw new NumberFormatException(text);
            }
        }
        return Double.parseDouble(text);
    }
}
