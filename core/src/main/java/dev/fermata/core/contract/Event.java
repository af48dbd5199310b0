package dev.fermata.core.contract;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.List;

/** Something that happened outside the scheduler. Events of a run carry its attempt, so a late one never touches the next. */
public sealed interface Event {
    /** One constant for each type of events: a switch over it that forgets one does not compile. */
    enum Type {
        SUBMITTED,
        CANCEL_REQUESTED,
        HOLD_REQUESTED,
        RELEASE_REQUESTED,
        SUSPEND_REQUESTED,
        JOB_UPDATED,
        QUEUES_SET,
        RUNNING,
        SPEED_CHANGED,
        PROFILED,
        START_FAILED,
        SUSPEND_FAILED,
        SUSPENSION_LOST,
        ATTEMPT_ENDED,
        NODE_DOWN,
        NODE_UP,
        NODE_DRAINED,
        NODE_UNDRAINED,
        GPU_DOWN,
        GPU_UP,
        NODE_ADDED,
        NODE_REMOVED,
        NODE_CHANGED,
        NODE_UNREACHABLE,
        NODE_REACHABLE,
        FOREIGN_LOAD_CHANGED,
        CLUSTER_CHANGED
    }

    Type type();

    record Submitted(Job job) implements Event {
        @Override
        public Type type() {
            return Type.SUBMITTED;
        }
    }

    record CancelRequested(long jobId) implements Event {
        @Override
        public Type type() {
            return Type.CANCEL_REQUESTED;
        }
    }

    /** The job does not start until it is released; an attempt on GPUs continues. */
    record HoldRequested(long jobId) implements Event {
        @Override
        public Type type() {
            return Type.HOLD_REQUESTED;
        }
    }

    record ReleaseRequested(long jobId) implements Event {
        @Override
        public Type type() {
            return Type.RELEASE_REQUESTED;
        }
    }

    /** A running job that can be is suspended in place, and does not resume until it is released. */
    record SuspendRequested(long jobId) implements Event {
        @Override
        public Type type() {
            return Type.SUSPEND_REQUESTED;
        }
    }

    /**
     * The job's new description (priority, queue, declared time …). Its id stays, and so does its demand, but for the GPU
     * memory, which may become better known while the job waits.
     */
    record JobUpdated(Job job) implements Event {
        @Override
        public Type type() {
            return Type.JOB_UPDATED;
        }
    }

    /** From now on exactly these rules hold for the queues. */
    record QueuesSet(List<QueueRule> rules) implements Event {
        public QueuesSet {
            rules = List.copyOf(rules);
        }

        @Override
        public Type type() {
            return Type.QUEUES_SET;
        }
    }

    /** Loading is over; the attempt makes progress at {@code speedMicro} (see {@link dev.fermata.core.model.Speed}). */
    record Running(long jobId, int attempt, long speedMicro) implements Event {
        @Override
        public Type type() {
            return Type.RUNNING;
        }
    }

    /** The attempt now progresses at another speed, for instance because a co-located job started or ended. */
    record SpeedChanged(long jobId, int attempt, long speedMicro) implements Event {
        @Override
        public Type type() {
            return Type.SPEED_CHANGED;
        }
    }

    /** The profiling run is over: the attempt leaves and the job is placed again with its profile. This is no preemption. */
    record Profiled(long jobId, int attempt) implements Event {
        @Override
        public Type type() {
            return Type.PROFILED;
        }
    }

    /**
     * The attempt did not start and never will; nothing of it is on its GPUs.
     *
     * @param cause one line for users
     * @param node the node that is the cause, -1 for none or unknown
     */
    record StartFailed(long jobId, int attempt, String cause, int node) implements Event {
        @Override
        public Type type() {
            return Type.START_FAILED;
        }
    }

    /**
     * The attempt could not be suspended and goes on running.
     *
     * @param cause one line for users
     * @param lasting whether its program can never be suspended; else another try may work
     */
    record SuspendFailed(long jobId, int attempt, long speedMicro, String cause, boolean lasting) implements Event {
        @Override
        public Type type() {
            return Type.SUSPEND_FAILED;
        }
    }

    /**
     * The suspended processes of the job are gone: its next attempt starts new ones.
     *
     * @param cause one line for users
     */
    record SuspensionLost(long jobId, String cause) implements Event {
        @Override
        public Type type() {
            return Type.SUSPENSION_LOST;
        }
    }

    /**
     * The attempt is gone and its GPUs are vacated.
     *
     * @param mayRetry false where another attempt would run out of memory again: the job ends, whatever its limit allows
     */
    record AttemptEnded(long jobId, int attempt, Outcome outcome, Usage usage, boolean mayRetry) implements Event {
        public AttemptEnded(long jobId, int attempt, Outcome outcome, Usage usage) {
            this(jobId, attempt, outcome, usage, true);
        }

        public AttemptEnded withoutRetry() {
            return new AttemptEnded(jobId, attempt, outcome, usage, false);
        }

        @Override
        public Type type() {
            return Type.ATTEMPT_ENDED;
        }
    }

    record NodeDown(int node) implements Event {
        @Override
        public Type type() {
            return Type.NODE_DOWN;
        }
    }

    record NodeUp(int node) implements Event {
        @Override
        public Type type() {
            return Type.NODE_UP;
        }
    }

    /** No attempt starts on the node until it is undrained; attempts on it continue. Whether it is up is another matter. */
    record NodeDrained(int node, DrainNote note) implements Event {
        public NodeDrained(int node) {
            this(node, DrainNote.NONE);
        }

        @Override
        public Type type() {
            return Type.NODE_DRAINED;
        }
    }

    record NodeUndrained(int node) implements Event {
        @Override
        public Type type() {
            return Type.NODE_UNDRAINED;
        }
    }

    record GpuDown(int gpu) implements Event {
        @Override
        public Type type() {
            return Type.GPU_DOWN;
        }
    }

    record GpuUp(int gpu) implements Event {
        @Override
        public Type type() {
            return Type.GPU_UP;
        }
    }

    /** A node joined the cluster. It gets a slot, which its record tells. */
    record NodeAdded(NodeSpec spec) implements Event {
        @Override
        public Type type() {
            return Type.NODE_ADDED;
        }
    }

    /** The node left the cluster for good; an attempt on it ends by an event of its own. */
    record NodeRemoved(int node) implements Event {
        @Override
        public Type type() {
            return Type.NODE_REMOVED;
        }
    }

    /** The node is now described like this: labels, CPUs, RAM, rack, GPU type, or which of its GPUs are missing. */
    record NodeChanged(int node, NodeSpec spec) implements Event {
        @Override
        public Type type() {
            return Type.NODE_CHANGED;
        }
    }

    /** Nothing is heard of the node. What runs there is not known to have ended; no attempt starts there. */
    record NodeUnreachable(int node) implements Event {
        @Override
        public Type type() {
            return Type.NODE_UNREACHABLE;
        }
    }

    record NodeReachable(int node) implements Event {
        @Override
        public Type type() {
            return Type.NODE_REACHABLE;
        }
    }

    /** From now on others than Fermata use this much of the node. */
    record ForeignLoadChanged(int node, ForeignLoad load) implements Event {
        @Override
        public Type type() {
            return Type.FOREIGN_LOAD_CHANGED;
        }
    }

    /**
     * The cluster is this one from now on, as a daemon found it when it started. Numbers keep their meaning: GPUs are new,
     * missing or back.
     */
    record ClusterChanged(Topology topology) implements Event {
        @Override
        public Type type() {
            return Type.CLUSTER_CHANGED;
        }
    }
}
