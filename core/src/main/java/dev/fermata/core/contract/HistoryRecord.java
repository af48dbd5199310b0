package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of the cluster state, as the history keeps it. Measures, reports, replay and audit read these and nothing
 * else, so a simulated run and a live one are judged by the same code.
 */
public sealed interface HistoryRecord {
    /** One constant for each type of records: a switch over it that forgets one does not compile. */
    enum Type {
        SUBMITTED,
        JOB_REJECTED,
        STARTED,
        RUNNING,
        SPEED_CHANGED,
        HELD,
        RELEASED,
        JOB_UPDATED,
        QUEUES_SET,
        RESERVED,
        RESERVATION_RELEASED,
        PREEMPTING,
        PREEMPTION_DECLINED,
        PROFILED,
        CANCELLING,
        START_FAILED,
        SUSPEND_FAILED,
        SUSPENSION_ENDED,
        ATTEMPT_ENDED,
        JOB_ENDED,
        CAPACITY_CHANGED,
        DRAIN_CHANGED,
        NODE_ADDED,
        NODE_REMOVED,
        NODE_CHANGED,
        REACHABILITY_CHANGED,
        FOREIGN_LOAD_CHANGED,
        CLUSTER_CHANGED,
        ACTION_REJECTED
    }

    Type type();

    long jobId();

    /** The state in which the job ends with this record; null when it does not end. */
    default @Nullable JobState finalState() {
        return null;
    }

    /** A record that describes its job. */
    sealed interface JobDescription {
        Job job();
    }

    record Submitted(Job job) implements HistoryRecord, JobDescription {
        @Override
        public long jobId() {
            return job.id();
        }

        @Override
        public Type type() {
            return Type.SUBMITTED;
        }
    }

    /** Rejected at submission: the cluster can never run it. */
    record JobRejected(Job job, PendingReason.Unsatisfiable reason) implements HistoryRecord, JobDescription {
        @Override
        public long jobId() {
            return job.id();
        }

        @Override
        public JobState finalState() {
            return JobState.UNSATISFIABLE;
        }

        @Override
        public Type type() {
            return Type.JOB_REJECTED;
        }
    }

    record Started(long jobId, int attempt, Allocation allocation, boolean resumed) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.STARTED;
        }
    }

    record Running(long jobId, int attempt, long speedMicro) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.RUNNING;
        }
    }

    /** The attempt now progresses at another speed. */
    record SpeedChanged(long jobId, int attempt, long speedMicro) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.SPEED_CHANGED;
        }
    }

    /** Not to be started until released. */
    record Held(long jobId) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.HELD;
        }
    }

    record Released(long jobId) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.RELEASED;
        }
    }

    /** The job's description has changed. */
    record JobUpdated(Job job) implements HistoryRecord, JobDescription {
        @Override
        public long jobId() {
            return job.id();
        }

        @Override
        public Type type() {
            return Type.JOB_UPDATED;
        }
    }

    /** These rules hold for the queues from now on. {@code jobId} is -1. */
    record QueuesSet(List<QueueRule> rules) implements HistoryRecord {
        public QueuesSet {
            rules = List.copyOf(rules);
        }

        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.QUEUES_SET;
        }
    }

    /** GPUs are reserved for a pending job until the jobs on them have left. */
    record Reserved(long jobId, Allocation allocation) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.RESERVED;
        }
    }

    /** The reservation ended unused: its hardware failed, or the job was cancelled or held. */
    record ReservationReleased(long jobId) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.RESERVATION_RELEASED;
        }
    }

    /** Preempted for {@code beneficiary}; gain and cost as the policy estimated them. */
    record Preempting(long jobId, int attempt, long beneficiary, long gainMillis, long costMillis, PreemptWay way)
            implements HistoryRecord {
        /** One of the victims of an action. */
        public static Preempting of(Action.Preempt preempt, int victim, int attempt) {
            return new Preempting(
                    preempt.victims().get(victim),
                    attempt,
                    preempt.jobId(),
                    preempt.gainMillis(),
                    preempt.costMillis(),
                    preempt.ways().get(victim));
        }

        /** It saves and leaves. */
        public Preempting(long jobId, int attempt, long beneficiary, long gainMillis, long costMillis) {
            this(jobId, attempt, beneficiary, gainMillis, costMillis, PreemptWay.CHECKPOINT);
        }

        @Override
        public Type type() {
            return Type.PREEMPTING;
        }
    }

    /**
     * A possible preemption for a waiting job that the policy declined; gain and cost as it estimated them. Recorded when it
     * first declines in a wait, and again, a minute later at the earliest, when they differ materially.
     */
    record PreemptionDeclined(long jobId, int victims, long gainMillis, long costMillis) implements HistoryRecord {
        /** Less than this is the same. */
        private static final long NEGLIGIBLE_MILLIS = 1000;

        /** Whether gain or cost has doubled or halved. */
        public boolean differsMaterially(PreemptionDeclined before) {
            return differ(gainMillis, before.gainMillis) || differ(costMillis, before.costMillis);
        }

        private static boolean differ(long one, long other) {
            return Math.max(one, other) >= 2 * Math.min(one, other) && Math.abs(one - other) >= NEGLIGIBLE_MILLIS;
        }

        @Override
        public Type type() {
            return Type.PREEMPTION_DECLINED;
        }
    }

    /** The profiling run is over: the attempt leaves, and the job is ordered and placed again. It counts as no preemption. */
    record Profiled(long jobId, int attempt) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.PROFILED;
        }
    }

    /** The job was cancelled while it held GPUs. */
    record Cancelling(long jobId, int attempt) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.CANCELLING;
        }
    }

    /**
     * The attempt did not start. Its end follows, as {@link AttemptEnded}.
     *
     * @param failures failed starts of the job in a row
     * @param retryAtMillis when its next attempt may start; 0 for none
     * @param node the node that is the cause, -1 for none or unknown
     * @param excludedUntilMillis until when no attempt starts on that node; 0 where it is not excluded
     */
    record StartFailed(
            long jobId, int attempt, String cause, int failures, long retryAtMillis, int node, long excludedUntilMillis)
            implements HistoryRecord {
        @Override
        public Type type() {
            return Type.START_FAILED;
        }
    }

    /**
     * The attempt could not be suspended and goes on running.
     *
     * @param lasting whether its program can never be suspended; else it is tried again later
     */
    record SuspendFailed(long jobId, int attempt, long speedMicro, String cause, boolean lasting)
            implements HistoryRecord {
        @Override
        public Type type() {
            return Type.SUSPEND_FAILED;
        }
    }

    /**
     * The suspended processes of the job are gone, and with them the work beyond {@code savedWorkMillis}.
     *
     * @param process the attempt that had started them
     */
    record SuspensionEnded(long jobId, int process, long savedWorkMillis, String cause) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.SUSPENSION_ENDED;
        }
    }

    /** The attempt left; {@code next} is PENDING when the job is back in the queue, else its final state. */
    record AttemptEnded(long jobId, int attempt, Outcome outcome, Usage usage, JobState next) implements HistoryRecord {
        @Override
        public @Nullable JobState finalState() {
            return next.isFinal() ? next : null;
        }

        @Override
        public Type type() {
            return Type.ATTEMPT_ENDED;
        }
    }

    /** A job ended without an attempt on GPUs: cancelled while pending. */
    record JobEnded(long jobId, JobState state) implements HistoryRecord {
        @Override
        public JobState finalState() {
            return state;
        }

        @Override
        public Type type() {
            return Type.JOB_ENDED;
        }
    }

    /** A node or a GPU went down or came back; {@code gpusUp} is what is left. {@code jobId} is -1. */
    record CapacityChanged(boolean isNode, int index, boolean up, int gpusUp) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.CAPACITY_CHANGED;
        }
    }

    /** A node was drained, or returned to service; whether it is up is another matter. {@code jobId} is -1. */
    record DrainChanged(int node, boolean drained, DrainNote note) implements HistoryRecord {
        public DrainChanged(int node, boolean drained) {
            this(node, drained, DrainNote.NONE);
        }

        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.DRAIN_CHANGED;
        }
    }

    /**
     * A node joined the cluster in this slot: the next one, or that of a node that had left and held nothing. {@code jobId} is
     * -1.
     *
     * @param gpusUp GPUs that are neither missing, down nor used by others
     */
    record NodeAdded(int node, NodeSpec spec, int gpusUp) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.NODE_ADDED;
        }
    }

    /** The node left the cluster; its GPUs are missing. {@code jobId} is -1. */
    record NodeRemoved(int node, int gpusUp) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.NODE_REMOVED;
        }
    }

    /** The node is described like this from now on. {@code jobId} is -1. */
    record NodeChanged(int node, NodeSpec spec, int gpusUp) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.NODE_CHANGED;
        }
    }

    /** Nothing is heard of the node any more, or it is heard again. {@code jobId} is -1. */
    record ReachabilityChanged(int node, boolean reachable) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.REACHABILITY_CHANGED;
        }
    }

    /** Others than Fermata use this much of the node from now on. {@code jobId} is -1. */
    record ForeignLoadChanged(int node, ForeignLoad load, int gpusUp) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.FOREIGN_LOAD_CHANGED;
        }
    }

    /**
     * From now on the cluster is this one. Numbers of nodes and GPUs keep their meaning: new ones are appended, and those of
     * missing GPUs stay theirs. {@code jobId} is -1.
     *
     * @param gpusUp GPUs that are neither missing nor down
     */
    record ClusterChanged(Topology topology, int gpusUp) implements HistoryRecord {
        @Override
        public long jobId() {
            return -1;
        }

        @Override
        public Type type() {
            return Type.CLUSTER_CHANGED;
        }
    }

    /** The guard rejected an action: a bug in a policy. */
    record ActionRejected(long jobId, String action, String rule) implements HistoryRecord {
        @Override
        public Type type() {
            return Type.ACTION_REJECTED;
        }
    }
}
