package dev.fermata.core.text;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers, times and sizes as people write them. Each error names the thing, its value and the rule. */
public final class Quantity {
    private static final Pattern WITH_UNIT = Pattern.compile("([0-9]*\\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\\s*([A-Za-z]*)");
    /** Without the suffixes that Java allows after a number. */
    private static final Pattern PLAIN = Pattern.compile("[-+0-9.eE]+");

    private static final Map<String, Double> MILLIS =
            Map.of("ms", 1.0, "", 1e3, "s", 1e3, "m", 60e3, "h", 3600e3, "d", 86400e3);
    private static final Map<String, Double> MEBIBYTES = Map.of("MIB", 1.0, "GIB", 1024.0, "TIB", 1048576.0);
    private static final double MAX_MILLIS = 4e12;
    private static final double MAX_MEBIBYTES = 1e12;

    private Quantity() {}

    /** A time such as {@code 90s}, {@code 20m}, {@code 4h}, {@code 30d}; plain numbers are seconds. */
    public static long millis(String what, String text) {
        Matcher m = WITH_UNIT.matcher(text.strip());
        Double unit = m.matches() ? MILLIS.get(m.group(2)) : null;
        double value = unit == null ? -1 : Double.parseDouble(m.group(1)) * unit;
        if (!(value >= 0 && value <= MAX_MILLIS)) {
            throw invalid(what, text, "must be a time such as 90s, 20m, 4h or 30d");
        }
        return Math.round(value);
    }

    /** A size such as {@code 40GiB}; the unit is required. */
    public static long mebibytes(String what, String text) {
        Matcher m = WITH_UNIT.matcher(text.strip());
        Double unit = m.matches() ? MEBIBYTES.get(m.group(2).toUpperCase(Locale.ROOT)) : null;
        double value = unit == null ? -1 : Double.parseDouble(m.group(1)) * unit;
        if (!(value >= 1 && value <= MAX_MEBIBYTES)) {
            throw invalid(what, text, "must be a size with a unit: MiB, GiB or TiB, such as 40GiB");
        }
        return Math.round(value);
    }

    public static double number(String what, String text, double min, double max) {
        try {
            double value = PLAIN.matcher(text.strip()).matches() ? Double.parseDouble(text.strip()) : Double.NaN;
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw invalid(what, text, "must be a number from " + format(min) + " to " + format(max));
    }

    public static long integer(String what, String text, long min, long max) {
        try {
            long value = Long.parseLong(text.strip());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        boolean anyLong = min == Long.MIN_VALUE && max == Long.MAX_VALUE;
        throw invalid(what, text, "must be a whole number" + (anyLong ? "" : " from " + min + " to " + max));
    }

    /** Splits {@code a=1,b=2}; anything else is rejected. */
    public static Map<String, String> keyValues(String what, String text) {
        Map<String, String> pairs = new TreeMap<>();
        for (String pair : text.split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0 || pairs.put(pair.substring(0, equals).strip(), pair.substring(equals + 1)) != null) {
                throw invalid(what, text, "must be key=value pairs, each key once; '" + pair + "' is not");
            }
        }
        return pairs;
    }

    public static IllegalArgumentException invalid(String what, String value, String rule) {
        return new IllegalArgumentException(what + " (" + value + ") " + rule);
    }

    private static String format(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
