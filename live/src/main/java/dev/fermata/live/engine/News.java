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

    /**
     * What an attempt that goes on has shown so far: told once it is {@link dev.fermata.live.learn.Telling telling}, and again when
     * it holds clearly more memory than it did.
     */
    record Shown(long jobId, int attempt, Measured measured) implements News {}

    /**
     * How far an attempt is, as its script reported it; kept for people and estimates, never decisive.
     *
     * @param heardMillis when the engine read it
     */
    record Progress(long jobId, int attempt, Report report, long heardMillis) implements News {}

    /**
     * How a process ended.
     *
     * @param code its exit code, null when nobody knows
     * @param signal the signal that ended it, 0 for none
     * @param detail one sentence for people: why it failed, what was cleaned up; empty when there is nothing to say
     * @param shortage what it ran out of, if that is why it failed
     * @param endedMillis when it ended, where that was while nobody looked on and is known all the same; else -1
     */
    record Exit(@Nullable Integer code, int signal, String detail, Shortage shortage, long endedMillis) {
        public Exit(@Nullable Integer code, int signal, String detail, Shortage shortage) {
            this(code, signal, detail, shortage, -1);
        }

        public Exit(@Nullable Integer code, int signal, String detail) {
            this(code, signal, detail, Shortage.NONE);
        }

        /** The same in other words. */
        public Exit saying(String words) {
            return new Exit(code, signal, words, shortage, endedMillis);
        }
    }

    /**
     * One report of the Python helper, or of anything that writes the same lines.
     *
     * @param kind {@code hello}, {@code loaded}, {@code step}, {@code saving}, {@code saved}, {@code finished}
     * @param total steps in all, 0 when unknown
     * @param metric the latest value of {@code metricName} (a loss, mostly), NaN for none
     * @param memoryMib the most memory it held on one GPU so far, 0 when it does not say
     * @param busyPermille share of the time in which its GPUs work for it, 0 when it does not say
     * @param tookMillis how long that took, for {@code loaded} and {@code saved}; -1 when it does not say
     * @param iterationMicros what a step usually takes in microseconds, 0 when it does not say
     * @param bytes size of the checkpoint, for {@code saved}; 0 when it does not say
     * @param upMillis since when the script runs, for {@code hello}; 0 when it does not say
     */
    record Report(
            long atMillis,
            String kind,
            long step,
            long total,
            String metricName,
            double metric,
            int memoryMib,
            int busyPermille,
            long tookMillis,
            long iterationMicros,
            long bytes,
            long upMillis) {
        public Report(long atMillis, String kind, long step, long total, String metricName, double metric) {
            this(atMillis, kind, step, total, metricName, metric, 0, 0, -1, 0, 0, 0);
        }
    }
}
