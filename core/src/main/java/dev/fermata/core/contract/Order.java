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

    /** @param process the attempt whose suspended processes go on in this one; its own number where it starts new ones */
    record Start(long jobId, int attempt, Allocation allocation, boolean resumed, int process) implements Order {
        /** Starts new processes. */
        public Start(long jobId, int attempt, Allocation allocation, boolean resumed) {
            this(jobId, attempt, allocation, resumed, attempt);
        }

        @Override
        public Type type() {
            return Type.START;
        }
    }

    /**
     * Checkpoint and leave within the grace period, killed after it; or be suspended in place.
     *
     * @param beneficiary the job that gets its GPUs, 0 for unknown
     */
    record Preempt(long jobId, int attempt, long graceMillis, PreemptWay way, long beneficiary) implements Order {
        /** Nothing is known of the next job. */
        public Preempt(long jobId, int attempt, long graceMillis, PreemptWay way) {
            this(jobId, attempt, graceMillis, way, 0);
        }

        /** Checkpoint and leave. */
        public Preempt(long jobId, int attempt, long graceMillis) {
            this(jobId, attempt, graceMillis, PreemptWay.CHECKPOINT);
        }

        @Override
        public Type type() {
            return Type.PREEMPT;
        }
    }

    /** Ends the attempt; also one whose processes are suspended. */
    record Kill(long jobId, int attempt) implements Order {
        @Override
        public Type type() {
            return Type.KILL;
        }
    }
}
