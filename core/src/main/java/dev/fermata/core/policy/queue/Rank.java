package dev.fermata.core.policy.queue;

import dev.fermata.core.contract.Plan;

/**
 * A job's place among others: lower level first, then lower {@code base + slope * now}, then lower id. With a slope a
 * rank can say "remaining time" of a running job without being touched every millisecond. {@code rekeyAtMillis} is when
 * it must be computed anew.
 */
public record Rank(int level, long base, long slope, long rekeyAtMillis) {
    public static Rank fixed(int level, long base) {
        return new Rank(level, base, 0, Plan.NEVER);
    }

    public long at(long nowMillis) {
        return base + slope * nowMillis;
    }

    /** Whether this rank goes strictly before the other; equals never do, so nobody is paused for his equal. */
    public boolean before(Rank other, long nowMillis) {
        return level != other.level ? level < other.level : at(nowMillis) < other.at(nowMillis);
    }
}
