package dev.fermata.sim.forecast;

import java.util.List;

/**
 * When a waiting job starts, over the scenarios of a forecast.
 *
 * @param startsMillis the starts, ascending; scenarios in which it does not start within the horizon are missing
 * @param pausing scenarios in which somebody is paused for it
 * @param gainMillis what the policy expects to gain from that, on average over these
 * @param costMillis what it expects that to cost, on average over these
 * @param victims who is paused for it in at least half of these, the most frequent first
 */
public record ExpectedStart(
        long jobId,
        List<Long> startsMillis,
        int scenarios,
        int pausing,
        long gainMillis,
        long costMillis,
        List<Long> victims) {
    public static final long NEVER = Long.MAX_VALUE;

    public ExpectedStart {
        startsMillis = List.copyOf(startsMillis);
        victims = List.copyOf(victims);
    }

    /** It starts by then with this chance; {@link #NEVER} when too few scenarios see it start at all. */
    public long quantileMillis(double chance) {
        int rank = Math.min(scenarios, (int) Math.ceil(chance * (scenarios + 1)));
        return rank > startsMillis.size() ? NEVER : startsMillis.get(rank - 1);
    }
}
