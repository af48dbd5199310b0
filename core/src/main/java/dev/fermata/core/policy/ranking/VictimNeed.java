package dev.fermata.core.policy.ranking;

/**
 * What a search for victims on one node looks for: so many GPUs there, from few jobs that rank after a rank at one moment.
 *
 * @param key the key of the rank at that moment
 */
public record VictimNeed(int gpus, int maxJobs, int level, long key, long nowMillis) {
    public VictimNeed(int gpus, Rank rank, long nowMillis) {
        this(gpus, Integer.MAX_VALUE, rank.level(), rank.keyAt(nowMillis), nowMillis);
    }

    /** Whether whatever serves this need would also serve the other: so many GPUs at least, from the same jobs or fewer. */
    boolean implies(VictimNeed other) {
        boolean fewer = level != other.level ? level > other.level : key >= other.key;
        return gpus >= other.gpus && maxJobs <= other.maxJobs && fewer && nowMillis == other.nowMillis;
    }

    /** The same from at most so many jobs. */
    public VictimNeed atMost(int jobs) {
        return new VictimNeed(gpus, jobs, level, key, nowMillis);
    }
}
