package dev.fermata.research;

import java.util.List;

/** How many published figures came out inside, better or worse. Measurements of ours are not among them. */
public record ComparisonCount(long inside, long better, long worse, long undecided, long own) {
    public static ComparisonCount of(List<Finding> findings) {
        return new ComparisonCount(
                count(findings, Comparison.INSIDE),
                count(findings, Comparison.BETTER),
                count(findings, Comparison.WORSE),
                findings.stream()
                        .filter(f -> f.kind() == FindingKind.PUBLISHED && f.comparison() == Comparison.UNDECIDED)
                        .count(),
                findings.stream().filter(f -> f.kind() != FindingKind.PUBLISHED).count());
    }

    private static long count(List<Finding> findings, Comparison comparison) {
        return findings.stream().filter(f -> f.comparison() == comparison).count();
    }

    /** Such as "published figures: 3 inside, 9 better, 15 worse". */
    public String text() {
        return "published figures: " + inside + " inside, " + better + " better, " + worse + " worse"
                + (undecided == 0 ? "" : ", " + undecided + " undecided");
    }
}
