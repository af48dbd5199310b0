package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;

/** An instruction to the engine, which answers with events. */
public sealed interface Order {
    /** One constant for each type of order: a switch that omits one does not compile. */
    enum Type {
        START,
        PREEMPT,
        KILL
    }

    Type type();

    long jobId();

    int attempt();

    record Start(long jobId, int attempt, Allocation allocation, boolean resumed) implements Order {
        @Override
        public Type type() {
            return Type.START;
        }
    }

    /** Checkpoint and leave within the grace period; killed after it. */
    record Preempt(long jobId, int attempt, long graceMillis) implements Order {
        @Override
        public Type type() {
            return Type.PREEMPT;
        }
    }

    record Kill(long jobId, int attempt) implements Order {
        @Override
        public Type type() {
            return Type.KILL;
        }
    }
}
