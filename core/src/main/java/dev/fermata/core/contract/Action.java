package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import java.util.Collections;
import java.util.List;

/** One step of a plan. It never takes effect before the guard has accepted it. */
public sealed interface Action {
    /** One constant for each type of action: a switch that omits one does not compile. */
    enum Type {
        START,
        PREEMPT,
        CANCEL,
        MOVE
    }

    Type type();

    long jobId();

    /** Other jobs that are preempted by it. */
    List<Long> victims();

    /**
     * Start a pending job on GPUs that are free now.
     *
     * @param abandons whether a suspended job restarts elsewhere, without its processes and what they did not save
     */
    record Start(long jobId, Allocation allocation, boolean abandons) implements Action {
        /** A suspended job is resumed. */
        public Start(long jobId, Allocation allocation) {
            this(jobId, allocation, false);
        }

        @Override
        public List<Long> victims() {
            return List.of();
        }

        @Override
        public Type type() {
            return Type.START;
        }
    }

    /**
     * Preempt the victims and reserve the allocation for the job: it starts when the last of them has left. Without victims
     * the job gets GPUs that are being vacated already. Gain and cost are the policy's estimates, in
     * job-milliseconds of completion time; both are zero where the policy weighs nothing.
     *
     * @param ways how each of the victims is preempted, in their order
     * @param reclaims whether it takes back GPUs that are guaranteed to the job's queue: the victims' preemption budgets do not
     *     count then
     */
    record Preempt(
            long jobId,
            Allocation allocation,
            List<Long> victims,
            List<PreemptWay> ways,
            long gainMillis,
            long costMillis,
            boolean reclaims)
            implements Action {
        /** A preemption that a policy chose. */
        public Preempt(
                long jobId,
                Allocation allocation,
                List<Long> victims,
                List<PreemptWay> ways,
                long gainMillis,
                long costMillis) {
            this(jobId, allocation, victims, ways, gainMillis, costMillis, false);
        }

        public Preempt {
            victims = List.copyOf(victims);
            ways = List.copyOf(ways);
            if (ways.size() != victims.size()) {
                throw new IllegalArgumentException(victims.size() + " victims, but " + ways.size() + " ways");
            }
        }

        /** Takes back what is guaranteed: all victims save and leave. */
        public static Preempt reclaiming(long jobId, Allocation allocation, List<Long> victims) {
            List<PreemptWay> ways = Collections.nCopies(victims.size(), PreemptWay.CHECKPOINT);
            return new Preempt(jobId, allocation, victims, ways, 0, 0, true);
        }

        /** All victims save and leave. */
        public Preempt(long jobId, Allocation allocation, List<Long> victims, long gainMillis, long costMillis) {
            this(
                    jobId,
                    allocation,
                    victims,
                    Collections.nCopies(victims.size(), PreemptWay.CHECKPOINT),
                    gainMillis,
                    costMillis);
        }

        @Override
        public Type type() {
            return Type.PREEMPT;
        }
    }

    /** A pending job can never run, since a dependency ended in another way; it ends without a start. */
    record Cancel(long jobId) implements Action {
        @Override
        public List<Long> victims() {
            return List.of();
        }

        @Override
        public Type type() {
            return Type.CANCEL;
        }
    }

    /**
     * Preempt a running job and restart it on these GPUs, which are reserved for it meanwhile. They are free, or its own.
     * Gain and cost are as for a preemption.
     */
    record Move(long jobId, Allocation allocation, long gainMillis, long costMillis) implements Action {
        /** A move that is not weighed. */
        public Move(long jobId, Allocation allocation) {
            this(jobId, allocation, 0, 0);
        }

        @Override
        public List<Long> victims() {
            return List.of();
        }

        @Override
        public Type type() {
            return Type.MOVE;
        }
    }
}
