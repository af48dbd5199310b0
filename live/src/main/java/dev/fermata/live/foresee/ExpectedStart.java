package dev.fermata.live.foresee;

import java.util.List;

/**
 * When a waiting job is expected to start, as seen at one moment with who was there then.
 *
 * @param asOfMillis the moment
 * @param p50Millis it starts by then as likely as not; {@link #UNKNOWN} when that cannot be said
 * @param p90Millis it starts by then nine times out of ten
 * @param scenarios how many ways of going on were looked at
 * @param pausing in how many of them somebody is paused for it
 * @param pauses who is, in at least half of those
 * @param gainMillis what the policy expects to gain by it, on average
 * @param costMillis what it expects that to cost, on average
 * @param note why less than everything is said, one sentence; empty when all is
 */
public record ExpectedStart(
        long asOfMillis,
        long p50Millis,
        long p90Millis,
        int scenarios,
        int pausing,
        List<Long> pauses,
        long gainMillis,
        long costMillis,
        String note) {
    public static final long UNKNOWN = -1;

    public ExpectedStart {
        pauses = List.copyOf(pauses);
    }

    /** Nothing can be said, for this reason. */
    public static ExpectedStart unknown(long asOfMillis, String why) {
        return new ExpectedStart(asOfMillis, UNKNOWN, UNKNOWN, 0, 0, List.of(), 0, 0, why);
    }

    /** For the history, so that it can be held against what happened. */
    public Foreseen foreseen() {
        return new Foreseen(asOfMillis, p50Millis, p90Millis, scenarios);
    }
}
