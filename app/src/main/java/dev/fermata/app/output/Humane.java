package dev.fermata.app.output;

import java.util.Locale;

/** Numbers as people like to read them. */
public final class Humane {
    private static final long MINUTE = 60;
    private static final long HOUR = 3600;
    private static final long DAY = 86_400;

    private Humane() {}

    /** Two units at most: {@code 3.2s}, {@code 12m05s}, {@code 3h07m}, {@code 2d04h}. */
    public static String time(double seconds) {
        if (seconds < 0) {
            return "−" + time(-seconds);
        }
        if (seconds < 9.95) {
            return text("%.1fs", seconds);
        }
        long whole = Math.round(seconds);
        if (whole < MINUTE) {
            return whole + "s";
        }
        if (whole < HOUR) {
            return text("%dm%02ds", whole / MINUTE, whole % MINUTE);
        }
        long minutes = Math.round(seconds / MINUTE);
        if (minutes < 24 * MINUTE) {
            return text("%dh%02dm", minutes / 60, minutes % 60);
        }
        long hours = Math.round(seconds / HOUR);
        return hours < 100 * 24 ? text("%dd%02dh", hours / 24, hours % 24) : text("%,dd", Math.round(seconds / DAY));
    }

    public static String count(long value) {
        return text("%,d", value);
    }

    public static String count(double value) {
        return count(Math.round(value));
    }

    /** Such as "1 paper" or "5 papers". */
    public static String amount(long value, String what) {
        return count(value) + " " + what + (value == 1 ? "" : "s");
    }

    /** Two or three figures, whatever the size. */
    public static String number(double value) {
        return Math.abs(value) < 9.995
                ? text("%.2f", value)
                : Math.abs(value) < 99.95 ? text("%.1f", value) : count(value);
    }

    public static String percent(double share) {
        double percent = share * 100;
        return Math.abs(percent) < 9.95 && percent != 0 ? text("%.1f %%", percent) : count(percent) + " %";
    }

    /** A change against something: always with its sign. */
    public static String change(double share) {
        String size = percent(Math.abs(share));
        return size.equals("0 %") || size.equals("0.0 %") ? "0 %" : (share < 0 ? "−" : "+") + size;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
