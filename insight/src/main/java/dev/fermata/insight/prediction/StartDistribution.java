package dev.fermata.insight.prediction;

import java.util.List;

/**
 * The starts of a pending job over the scenarios of a prediction.
 *
 * @param startsMillis the starts, ascending; scenarios in which it does not start within the horizon are missing
 * @param scenariosWithPreemption scenarios in which jobs are preempted for it
 * @param gainMillis what the policy expects to gain from that, on average over these
 * @param costMillis what it expects that to cost, on average over these
 * @param victims jobs preempted for it in at least half of these, the most frequent first
 */
public record StartDistribution(
        long jobId,
        List<Long> startsMillis,
        int scenarios,
        int scenariosWithPreemption,
        long gainMillis,
        long costMillis,
        List<Long> victims) {
    public static final long NEVER = Long.MAX_VALUE;

    public StartDistribution {
        startsMillis = List.copyOf(startsMillis);
        victims = List.copyOf(victims);
    }

    /** The time by which it starts with this probability; {@link #NEVER} when it starts in too few scenarios. */
    public long quantileMillis(double probability) {
        int rank = Math.min(scenarios, (int) Math.ceil(probability * (scenarios + 1)));
        return rank > startsMillis.size() ? NEVER : startsMillis.get(rank - 1);
    }
}
