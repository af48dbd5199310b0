package dev.fermata.core.policy.ranking;

import dev.fermata.core.contract.Plan;

/**
 * A job's place among others: lower level first, then lower {@code base + slope * now}, then lower id. With a slope a
 * rank can be the remaining time of a running job without being updated every millisecond. {@code recomputeAtMillis} is when
 * it must be recomputed.
 */
public record Rank(int level, long base, long slope, long recomputeAtMillis) {
    public static Rank fixed(int level, long base) {
        return new Rank(level, base, 0, Plan.NEVER);
    }

    public long keyAt(long nowMillis) {
        return base + slope * nowMillis;
    }

    /** Whether this rank goes strictly before the other; equals never do, so no job is preempted for its equal. */
    public boolean isBefore(Rank other, long nowMillis) {
        return level != other.level ? level < other.level : keyAt(nowMillis) < other.keyAt(nowMillis);
    }
}
