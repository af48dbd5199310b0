package dev.fermata.live.progress;

import org.jspecify.annotations.Nullable;

/** Numbers as programs print them. */
final class Numbers {
    private static final double MAX = 1e15;

    private Numbers() {}

    /** A whole number such as {@code 1,234}, {@code 64} or {@code 1.20k}; -1 for none. */
    static long whole(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return -1;
        }
        String plain = text.indexOf(',') < 0 ? text : text.replace(",", "");
        double unit = switch (plain.charAt(plain.length() - 1)) {
            case 'k', 'K' -> 1e3;
            case 'M' -> 1e6;
            case 'G' -> 1e9;
            case 'T' -> 1e12;
            default -> 1;
        };
        double number = decimal(unit == 1 ? plain : plain.substring(0, plain.length() - 1));
        return number < 0 || number * unit > MAX ? -1 : Math.round(Math.floor(number * unit + 1e-9));
    }

    /** -1 for none. */
    static double decimal(@Nullable String text) {
        if (text == null || text.isEmpty() || text.length() > 24) {
            return -1;
        }
        try {
            double number = Double.parseDouble(text);
            return number >= 0 && number <= MAX ? number : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** A time such as {@code 0:12:33}, with days before it; -1 for none. */
    static long clockMillis(@Nullable String days, String clock) {
        long seconds = 0;
        for (String part : clock.split(":")) {
            long value = whole(part);
            if (value < 0) {
                return -1;
            }
            seconds = seconds * 60 + value;
        }
        long whole = days == null ? 0 : Math.max(0, whole(days));
        return (whole * 86_400 + seconds) * 1000;
    }
}
