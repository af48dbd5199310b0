package dev.fermata.core.model;

/**
 * What one queue is entitled to. Queues form a tree by their path ({@code research/nlp} is a child of {@code research});
 * a queue that no rule names has no guarantee, no limit and weight 1.
 *
 * @param guaranteeGpus GPUs it gets back from borrowers when it needs them
 * @param limitGpus GPUs that it and its children never exceed together
 * @param weight its share of the GPUs without guarantee, relative to its siblings
 * @param terms what its users may do
 */
public record QueueRule(String path, int guaranteeGpus, int limitGpus, double weight, QueueTerms terms) {
    public static final int NO_LIMIT = Integer.MAX_VALUE;

    /** A rule without limits for users. */
    public QueueRule(String path, int guaranteeGpus, int limitGpus, double weight) {
        this(path, guaranteeGpus, limitGpus, weight, QueueTerms.NONE);
    }

    public QueueRule {
        Require.that(!path.isBlank(), "the name of a queue must not be blank");
        Require.that(guaranteeGpus >= 0, "guarantee (%s) of queue (%s) must not be negative", guaranteeGpus, path);
        Require.that(
                limitGpus >= guaranteeGpus,
                "limit (%s) of queue (%s) must not be below its guarantee (%s)",
                limitGpus,
                path,
                guaranteeGpus);
        Require.that(weight > 0 && Double.isFinite(weight), "weight (%s) of queue (%s) must be positive", weight, path);
    }

    /** Whether jobs of a queue count for this one: it is the same, or below it. */
    public boolean covers(String queue) {
        String mine = trimPath(path);
        String other = trimPath(queue);
        return other.startsWith(mine) && (other.length() == mine.length() || other.charAt(mine.length()) == '/');
    }

    /** The path of a queue without trailing slashes. */
    public static String trimPath(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(0, end);
    }
}
