package dev.fermata.live.engine;

import java.util.Locale;

/**
 * The id of an order, derived from what it orders: the same order has the same id after a restart of the daemon. An engine
 * that gets the same id twice does one thing.
 *
 * @param sequence distinguishes orders of one type to one attempt; 0 for types that occur once
 */
public record OrderId(long jobId, int attempt, EngineOrder.Type type, long sequence) {
    /** {@code 12.3}, for log lines. */
    public String attemptName() {
        return jobId + "." + attempt;
    }

    /** {@code 12.3/start}, {@code 12.3/limit/1700000000000}. */
    @Override
    public String toString() {
        String name = attemptName() + "/" + type.name().toLowerCase(Locale.ROOT);
        return sequence == 0 ? name : name + "/" + sequence;
    }
}
