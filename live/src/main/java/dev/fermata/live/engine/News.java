package dev.fermata.live.engine;

import dev.fermata.core.contract.Event;
import dev.fermata.live.learn.Measured;
import org.jspecify.annotations.Nullable;

/** What an engine tells the conductor. */
public sealed interface News {

    /**
     * Something the ledger must hear.
     *
     * @param exit how an attempt ended, null for everything else
     * @param measured what an attempt that ended has shown
     */
    record Happened(Event event, @Nullable Exit exit, Measured measured) implements News {
        public Happened(Event event, @Nullable Exit exit) {
            this(event, exit, Measured.NOTHING);
        }
    }

    /** How far an attempt is, as its script reported it; kept for people and estimates, never decisive. */
    record Progress(long jobId, int attempt, Report report) implements News {}

    /**
     * How a process ended.
     *
     * @param code its exit code, null when nobody knows
     * @param signal the signal that ended it, 0 for none
     * @param detail one sentence for people: why it failed, what was cleaned up; empty when there is nothing to say
     */
    record Exit(@Nullable Integer code, int signal, String detail) {}

    /**
     * One report of the Python helper, or of anything that writes the same lines.
     *
     * @param kind {@code hello}, {@code loaded}, {@code step}, {@code saving}, {@code saved}, {@code finished}
     * @param total steps in all, 0 when unknown
     * @param metric the latest value of {@code metricName} (a loss, mostly), NaN for none
     */
    record Report(long atMillis, String kind, long step, long total, String metricName, double metric) {}
}
