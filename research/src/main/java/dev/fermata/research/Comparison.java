package dev.fermata.research;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** How a measured result compares. It always follows from the 95 % confidence interval, and is never stated by hand. */
public enum Comparison {
    /** The published figure is inside our interval. */
    INSIDE,
    /** Our whole interval is better than the published figure. */
    BETTER,
    /** Our whole interval is worse than the published figure. */
    WORSE,
    /** No figure is published: the first policy is ahead of the second in the whole interval. */
    AHEAD,
    /** No figure is published: the interval includes no difference. */
    LEVEL,
    /** No figure is published: the first policy is behind in the whole interval. */
    BEHIND,
    /** A measurement of ours that compares nothing. */
    MEASURED,
    /** One sample has no interval. */
    UNDECIDED;

    /** The comparisons on a published figure. */
    public static final List<Comparison> PUBLISHED = List.of(INSIDE, BETTER, WORSE);

    /** Endings of metrics that are better when lower. */
    private static final Set<String> LOWER_IS_BETTER = Set.of("Gap", "Failures", "Count", "Seconds", "Millis");
    /** Endings of metrics that are multiples: 1 is no difference. */
    private static final Set<String> MULTIPLES = Set.of("Factor", "Ratio", "Speedup", "Improvement");

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether this is about a published figure. */
    public boolean isPublished() {
        return PUBLISHED.contains(this);
    }

    /** Compares with a published figure. */
    static Comparison onPublished(String metric, double published, Measurement measured) {
        return of(metric, published, measured, INSIDE, BETTER, WORSE);
    }

    /** Compares two policies by their paired difference. */
    static Comparison onDifference(String metric, Measurement measured) {
        return of(metric, MULTIPLES.contains(lastWord(metric)) ? 1 : 0, measured, LEVEL, AHEAD, BEHIND);
    }

    private static Comparison of(
            String metric, double reference, Measurement measured, Comparison within, Comparison good, Comparison bad) {
        if (measured.samples() < 2) {
            return UNDECIDED;
        }
        if (reference >= measured.low() && reference <= measured.high()) {
            return within;
        }
        boolean above = measured.low() > reference;
        return above != LOWER_IS_BETTER.contains(lastWord(metric)) ? good : bad;
    }

    /** {@code Reduction} of {@code meanJctReduction}; a name of one word is its own ending. */
    private static String lastWord(String metric) {
        int start = metric.length() - 1;
        while (start > 0 && !Character.isUpperCase(metric.charAt(start))) {
            start--;
        }
        return start < 0 ? "" : Character.toUpperCase(metric.charAt(start)) + metric.substring(start + 1);
    }
}
