package dev.fermata.insight.format;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers formatted for people. */
public final class HumanFormat {
    private static final long MINUTE = 60;
    private static final long HOUR = 3600;
    private static final long DAY = 86_400;

    private HumanFormat() {}

    /** Two units at most: {@code 3.2s}, {@code 12m05s}, {@code 3h07m}, {@code 2d04h}. */
    public static String time(double seconds) {
        if (seconds < 0) {
            return "−" + time(-seconds);
        }
        if (seconds < 9.95) {
            return format("%.1fs", seconds);
        }
        long whole = Math.round(seconds);
        if (whole < MINUTE) {
            return whole + "s";
        }
        if (whole < HOUR) {
            return format("%dm%02ds", whole / MINUTE, whole % MINUTE);
        }
        long minutes = Math.round(seconds / MINUTE);
        if (minutes < 24 * MINUTE) {
            return format("%dh%02dm", minutes / 60, minutes % 60);
        }
        long hours = Math.round(seconds / HOUR);
        return hours < 100 * 24
                ? format("%dd%02dh", hours / 24, hours % 24)
                : format("%,dd", Math.round(seconds / DAY));
    }

    public static String count(long value) {
        return format("%,d", value);
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
                ? format("%.2f", value)
                : Math.abs(value) < 99.95 ? format("%.1f", value) : count(value);
    }

    public static String percent(double share) {
        double percent = share * 100;
        return Math.abs(percent) < 9.95 && percent != 0 ? format("%.1f %%", percent) : count(percent) + " %";
    }

    /** A change against something: always with its sign. */
    public static String change(double share) {
        String size = percent(Math.abs(share));
        return size.equals("0 %") || size.equals("0.0 %") ? "0 %" : (share < 0 ? "−" : "+") + size;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** A whole number with separators, else three significant digits. */
    public static String plain(double value) {
        return value == Math.rint(value)
                ? count(value)
                : BigDecimal.valueOf(value)
                        .round(new MathContext(3))
                        .stripTrailingZeros()
                        .toPlainString();
    }
}
