package dev.fermata.research;

import java.util.OptionalDouble;

/**
 * One measured result: ratios as fractions, improvements positive. What it says follows from its interval.
 *
 * @param published what the paper says; present for {@link FindingKind#PUBLISHED} alone
 * @param note where it differs and why, in a sentence; may be empty
 */
public record Finding(
        FindingKind kind,
        String paper,
        String metric,
        String policy,
        String baseline,
        OptionalDouble published,
        Measurement measured,
        String setting,
        String note) {
    public Finding {
        if (published.isPresent() != (kind == FindingKind.PUBLISHED)) {
            throw new IllegalArgumentException(metric + " of " + paper + ": " + kind + " with " + published);
        }
    }

    /** A result next to a figure of the paper. */
    public static Finding published(
            String paper,
            String metric,
            String policy,
            String baseline,
            double published,
            Measurement measured,
            String setting,
            String note) {
        return new Finding(
                FindingKind.PUBLISHED,
                paper,
                metric,
                policy,
                baseline,
                OptionalDouble.of(published),
                measured,
                setting,
                note);
    }

    /** Two policies on the same jobs, where the paper has no figure. */
    public static Finding difference(
            String paper,
            String metric,
            String policy,
            String baseline,
            Measurement measured,
            String setting,
            String note) {
        return new Finding(
                FindingKind.DIFFERENCE,
                paper,
                metric,
                policy,
                baseline,
                OptionalDouble.empty(),
                measured,
                setting,
                note);
    }

    /** A number of ours that compares nothing. */
    public static Finding measurement(
            String paper, String metric, String policy, Measurement measured, String setting, String note) {
        return new Finding(
                FindingKind.MEASUREMENT, paper, metric, policy, "", OptionalDouble.empty(), measured, setting, note);
    }

    public Comparison comparison() {
        return switch (kind) {
            case PUBLISHED -> Comparison.onPublished(metric, published.orElseThrow(), measured);
            case DIFFERENCE -> Comparison.onDifference(metric, measured);
            case MEASUREMENT -> Comparison.MEASURED;
        };
    }
}
