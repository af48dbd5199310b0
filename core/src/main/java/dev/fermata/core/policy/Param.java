package dev.fermata.core.policy;

import java.util.List;

/**
 * One parameter of a policy: its name, default, meaning, and what values it takes. Times are in seconds, or with a unit
 * ({@code 90s}, {@code 20m}, {@code 1h}, {@code 2d}).
 */
public record Param(
        String name,
        ValueType valueType,
        String defaultValue,
        double min,
        double max,
        List<String> choices,
        String help) {
    /** What a value looks like. */
    public enum ValueType {
        INTEGER,
        NUMBER,
        SECONDS,
        FLAG,
        CHOICE
    }

    public static Param integer(String name, int defaultValue, int min, int max, String help) {
        return new Param(name, ValueType.INTEGER, Integer.toString(defaultValue), min, max, List.of(), help);
    }

    public static Param number(String name, double defaultValue, double min, double max, String help) {
        return new Param(name, ValueType.NUMBER, Double.toString(defaultValue), min, max, List.of(), help);
    }

    public static Param seconds(String name, String defaultValue, double min, double max, String help) {
        return new Param(name, ValueType.SECONDS, defaultValue, min, max, List.of(), help);
    }

    public static Param flag(String name, boolean defaultValue, String help) {
        return new Param(name, ValueType.FLAG, Boolean.toString(defaultValue), 0, 0, List.of("true", "false"), help);
    }

    public static Param choice(String name, String defaultValue, List<String> choices, String help) {
        return new Param(name, ValueType.CHOICE, defaultValue, 0, 0, List.copyOf(choices), help);
    }

    /** The value as a number (times in seconds); throws with the rule when it is not one this parameter accepts. */
    double number(String policy, String value) {
        double parsed;
        try {
            parsed = valueType == ValueType.SECONDS ? seconds(value) : PlainNumber.parse(value);
        } catch (NumberFormatException e) {
            throw invalid(policy, value, valueType == ValueType.SECONDS ? "a time such as 90s, 20m or 1h" : "a number");
        }
        boolean whole = valueType != ValueType.INTEGER || parsed == Math.rint(parsed);
        if (!(parsed >= min && parsed <= max) || !whole) {
            throw invalid(
                    policy,
                    value,
                    (valueType == ValueType.INTEGER ? "a whole number" : "a value") + " from " + format(min) + " to "
                            + format(max));
        }
        return parsed;
    }

    String choice(String policy, String value) {
        if (!choices.contains(value)) {
            throw invalid(policy, value, "one of " + String.join(", ", choices));
        }
        return value;
    }

    private IllegalArgumentException invalid(String policy, String value, String rule) {
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

    private static String format(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
