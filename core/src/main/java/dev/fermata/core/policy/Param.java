package dev.fermata.core.policy;

import java.util.List;

/**
 * One knob of a policy: its name, default, meaning, and what values it takes. Times are in seconds, or with a unit
 * ({@code 90s}, {@code 20m}, {@code 1h}, {@code 2d}).
 */
public record Param(
        String name, Kind kind, String defaultValue, double min, double max, List<String> choices, String help) {
    /** What a value looks like. */
    public enum Kind {
        INTEGER,
        NUMBER,
        SECONDS,
        FLAG,
        CHOICE
    }

    public static Param integer(String name, int defaultValue, int min, int max, String help) {
        return new Param(name, Kind.INTEGER, Integer.toString(defaultValue), min, max, List.of(), help);
    }

    public static Param number(String name, double defaultValue, double min, double max, String help) {
        return new Param(name, Kind.NUMBER, Double.toString(defaultValue), min, max, List.of(), help);
    }

    public static Param seconds(String name, String defaultValue, double min, double max, String help) {
        return new Param(name, Kind.SECONDS, defaultValue, min, max, List.of(), help);
    }

    public static Param flag(String name, boolean defaultValue, String help) {
        return new Param(name, Kind.FLAG, Boolean.toString(defaultValue), 0, 0, List.of("true", "false"), help);
    }

    public static Param choice(String name, String defaultValue, List<String> choices, String help) {
        return new Param(name, Kind.CHOICE, defaultValue, 0, 0, List.copyOf(choices), help);
    }

    /** The value as a number (times in seconds); throws with the rule when it is not one this knob takes. */
    double number(String policy, String value) {
        double parsed;
        try {
            parsed = kind == Kind.SECONDS ? seconds(value) : PlainNumber.parse(value);
        } catch (NumberFormatException e) {
            throw wrong(policy, value, kind == Kind.SECONDS ? "a time such as 90s, 20m or 1h" : "a number");
        }
        boolean whole = kind != Kind.INTEGER || parsed == Math.rint(parsed);
        if (!(parsed >= min && parsed <= max) || !whole) {
            throw wrong(
                    policy,
                    value,
                    (kind == Kind.INTEGER ? "a whole number" : "a value") + " from " + show(min) + " to " + show(max));
        }
        return parsed;
    }

    String choice(String policy, String value) {
        if (!choices.contains(value)) {
            throw wrong(policy, value, "one of " + String.join(", ", choices));
        }
        return value;
    }

    private IllegalArgumentException wrong(String policy, String value, String rule) {
        return new IllegalArgumentException(
                "parameter " + name + " (" + value + ") of policy " + policy + " must be " + rule);
    }

    private static double seconds(String value) {
        if (value.isEmpty()) {
            throw new NumberFormatException("empty");
        }
        double factor = switch (value.charAt(value.length() - 1)) {
            case 's' -> 1;
            case 'm' -> 60;
            case 'h' -> 3600;
            case 'd' -> 86400;
            default -> 0;
        };
        return factor == 0
                ? PlainNumber.parse(value)
                : PlainNumber.parse(value.substring(0, value.length() - 1)) * factor;
    }

    private static String show(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
