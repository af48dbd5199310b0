package dev.fermata.live.engine;

import dev.fermata.core.contract.PreemptWay;
import java.util.Locale;

/**
 * An order to an engine. It is repeated until the engine has accepted it, or refused it for good; the {@link OrderId} says
 * which ones are the same.
 */
public sealed interface EngineOrder {
    /** One constant for each type of order, so that a switch must handle all of them. */
    enum Type {
        START,
        PREEMPT,
        KILL,
        LIMIT,
        ADOPT;

        /** Its name in log lines. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Type type();

    long jobId();

    int attempt();

    /** Distinguishes orders of one type to one attempt; 0 for types that occur once. */
    default long sequence() {
        return 0;
    }

    default OrderId id() {
        return new OrderId(jobId(), attempt(), type(), sequence());
    }

    /**
     * Starts the attempt. An attempt that runs already, because the order came before, is adopted; one that has ended is
     * reported as ended.
     */
    record Start(Launch launch) implements EngineOrder {
        @Override
        public Type type() {
            return Type.START;
        }

        @Override
        public long jobId() {
            return launch.jobId();
        }

        @Override
        public int attempt() {
            return launch.attempt();
        }
    }

    /**
     * Signals the attempt now and kills what is left after the grace time; or suspends it in place within the limit. The
     * result is {@code AttemptEnded}, or {@code SuspendFailed} for an attempt that goes on.
     *
     * @param limitMillis how long its suspension may take
     * @param roomMib memory that the next job needs on each of these GPUs; -1 for unknown
     */
    record Preempt(long jobId, int attempt, long graceMillis, PreemptWay way, long limitMillis, long roomMib)
            implements EngineOrder {
        /** Nothing is known of the next job. */
        public Preempt(long jobId, int attempt, long graceMillis, PreemptWay way, long limitMillis) {
            this(jobId, attempt, graceMillis, way, limitMillis, -1);
        }

        /** It saves and leaves. */
        public Preempt(long jobId, int attempt, long graceMillis) {
            this(jobId, attempt, graceMillis, PreemptWay.CHECKPOINT, 0);
        }

        @Override
        public Type type() {
            return Type.PREEMPT;
        }
    }

    /**
     * Kills the attempt with all of its processes, started or not; the result is {@code AttemptEnded}. It may name an ended
     * attempt whose processes are suspended: then they are killed, and nothing is reported.
     */
    record Kill(long jobId, int attempt) implements EngineOrder {
        @Override
        public Type type() {
            return Type.KILL;
        }
    }

    /**
     * Sets the run time limit.
     *
     * @param limitMillis earlier attempts included; 0 for none
     */
    record Limit(long jobId, int attempt, long sequence, long limitMillis) implements EngineOrder {
        @Override
        public Type type() {
            return Type.LIMIT;
        }
    }

    /**
     * Asks for the state of an attempt that the engine accepted before. A live attempt is accepted, and reported as running
     * if it runs. One that ended is reported with its exit, one that is not found as {@code LOST}: it can never start later.
     */
    record Adopt(Launch launch, long sequence) implements EngineOrder {
        @Override
        public Type type() {
            return Type.ADOPT;
        }

        @Override
        public long jobId() {
            return launch.jobId();
        }

        @Override
        public int attempt() {
            return launch.attempt();
        }
    }
}
