package dev.fermata.core.model;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a command says about the run time of its job. That is its program, its options, and the length of the run.
 *
 * @param program the words of the command that are no options, and its model; empty where the command is not known
 * @param options options by name, without those that change neither time nor memory
 * @param steps the stated number of steps; 0 for none
 * @param epochs the stated number of epochs; 0 for none
 */
public record RunFeatures(String program, Map<String, String> options, long steps, double epochs) {
    /** Nothing is known of the command. */
    public static final RunFeatures NONE = new RunFeatures("", Map.of(), 0, 0);

    /** Distance of an option that only one of two commands has. */
    private static final double MISSING = 0.7;

    private static final double OTHER_WORD = 1;

    public RunFeatures {
        options = Collections.unmodifiableMap(new TreeMap<>(options)); // an order that is the same in every run
        Require.that(steps >= 0 && epochs >= 0, "length (%s steps, %s epochs) must not be negative", steps, epochs);
    }

    public boolean isKnown() {
        return !program.isEmpty();
    }

    /** Whether the command says how long it runs. */
    public boolean statesLength() {
        return steps > 0 || epochs > 0;
    }

    /** Steps, else epochs, else one run. */
    public double length() {
        return steps > 0 ? steps : epochs > 0 ? epochs : 1;
    }

    /** Runs with the same group are of one program and state their length in the same unit. */
    public String group() {
        return (steps > 0 ? "steps " : epochs > 0 ? "epochs " : "run ") + program;
    }

    /** The value of an option that is a positive number; NaN for none. */
    public double number(String option) {
        return positive(options.get(option));
    }

    private static double positive(@Nullable String text) {
        if (text == null || text.isEmpty() || !Character.isDigit(text.charAt(0)) || text.length() > 20) {
            return Double.NaN;
        }
        try {
            double value = Double.parseDouble(text);
            return value > 0 && value < 1e15 ? value : Double.NaN;
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** How different two commands of one program are; 0 for equal ones. Numbers that differ by a factor of e are 1 apart. */
    public double distance(RunFeatures other) {
        double sum = 0;
        for (Map.Entry<String, String> option : options.entrySet()) {
            String theirs = other.options.get(option.getKey());
            sum += theirs == null ? MISSING : distance(option.getValue(), theirs);
        }
        for (String name : other.options.keySet()) {
            sum += options.containsKey(name) ? 0 : MISSING;
        }
        return sum;
    }

    private static double distance(String one, String other) {
        if (one.equals(other)) {
            return 0;
        }
        double a = positive(one);
        double b = positive(other);
        return a > 0 && b > 0 ? Math.abs(StrictMath.log(a / b)) : OTHER_WORD;
    }
}
