package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster state as plain values: a scheduler that restores it continues where the other one was. It is a function of
 * the records up to {@code lastRecordMillis}: two cluster states with the same history have equal snapshots.
 *
 * @param lastRecordMillis when the last record was written
 * @param jobs the live jobs, by id
 * @param nodes the state of the nodes
 * @param topology the cluster whose nodes and GPUs the numbers mean; null in a snapshot of before format 3
 */
public record SchedulerSnapshot(
        long lastRecordMillis,
        List<JobSnapshot> jobs,
        NodeStates nodes,
        List<QueueRule> queueRules,
        @Nullable Topology topology,
        StartFailureState startFailures) {

    /** Without failed starts, nodes out of reach and load of others. */
    public SchedulerSnapshot(
            long lastRecordMillis,
            List<JobSnapshot> jobs,
            List<Integer> nodesDown,
            List<Integer> gpusDown,
            List<Integer> drainedNodes,
            List<QueueRule> queueRules,
            @Nullable Topology topology) {
        this(
                lastRecordMillis,
                jobs,
                new NodeStates(
                        nodesDown,
                        gpusDown,
                        drainedNodes.stream()
                                .map(node -> new DrainedNode(node, DrainNote.NONE))
                                .toList(),
                        List.of(),
                        List.of()),
                queueRules,
                topology,
                StartFailureState.NONE);
    }

    /**
     * What is known of nodes and GPUs besides that they exist; each list ascending.
     *
     * @param down nodes that are down as a whole
     * @param gpusDown GPUs with a fault of their own
     * @param drained nodes on which no attempt starts, whether they are up or down
     * @param unreachable nodes of which nothing is heard
     * @param foreign nodes that others use too
     */
    public record NodeStates(
            List<Integer> down,
            List<Integer> gpusDown,
            List<DrainedNode> drained,
            List<Integer> unreachable,
            List<ForeignNode> foreign) {
        public NodeStates {
            down = List.copyOf(down);
            gpusDown = List.copyOf(gpusDown);
            drained = List.copyOf(drained);
            unreachable = List.copyOf(unreachable);
            foreign = List.copyOf(foreign);
        }
    }

    public record DrainedNode(int node, DrainNote note) {}

    public record ForeignNode(int node, ForeignLoad load) {}

    public List<Integer> nodesDown() {
        return nodes.down;
    }

    public List<Integer> gpusDown() {
        return nodes.gpusDown;
    }

    public List<Integer> drainedNodes() {
        return nodes.drained.stream().map(DrainedNode::node).toList();
    }

    /** The failed starts of live jobs, and those that nodes are the cause of, each in a row. */
    public record StartFailureState(List<JobStartFailures> jobs, List<NodeStartFailures> nodes) {
        public static final StartFailureState NONE = new StartFailureState(List.of(), List.of());

        public StartFailureState {
            jobs = List.copyOf(jobs);
            nodes = List.copyOf(nodes);
        }
    }

    /** Failed starts of a job; its next attempt waits until {@code retryAtMillis}. */
    public record JobStartFailures(long jobId, int failures, long retryAtMillis) {}

    /** Failed starts on a node; no attempt starts there until {@code excludedUntilMillis}. */
    public record NodeStartFailures(int node, int failures, long excludedUntilMillis) {}

    public SchedulerSnapshot {
        jobs = List.copyOf(jobs);
        queueRules = List.copyOf(queueRules);
    }

    /**
     * One live job.
     *
     * @param held the GPUs of its attempt, null for none
     * @param reservation the GPUs reserved for it, null for none
     * @param lastDeclined null while no preemption for it was declined since it waits
     */
    public record JobSnapshot(
            Job job,
            Status status,
            Times times,
            Progress progress,
            @Nullable Gpus held,
            @Nullable Gpus reservation,
            @Nullable LastDeclined lastDeclined,
            SuspendState suspend) {

        /** Of a job that has nothing to do with suspension. */
        public JobSnapshot(
                Job job,
                Status status,
                Times times,
                Progress progress,
                @Nullable Gpus held,
                @Nullable Gpus reservation,
                @Nullable LastDeclined lastDeclined) {
            this(job, status, times, progress, held, reservation, lastDeclined, SuspendState.NONE);
        }

        public JobState state() {
            return status.state();
        }

        public int attempt() {
            return status.attempt();
        }

        public int preemptions() {
            return status.preemptions();
        }

        public int outOfMemory() {
            return status.outOfMemory();
        }

        public boolean cancelling() {
            return status.cancelling();
        }

        public boolean onHold() {
            return status.onHold();
        }

        public long submittedMillis() {
            return times.submittedMillis();
        }

        public long fifoKeyMillis() {
            return times.fifoKeyMillis();
        }

        public long queuedMillis() {
            return times.queuedMillis();
        }

        public long startedMillis() {
            return times.startedMillis();
        }

        public long runningMillis() {
            return times.runningMillis();
        }

        public long attainedMillis() {
            return progress.attainedMillis();
        }

        public long attainedGpuMillis() {
            return progress.attainedGpuMillis();
        }

        public long savedWorkMillis() {
            return progress.savedWorkMillis();
        }

        public long peakWorkMillis() {
            return progress.peakWorkMillis();
        }

        public long speedMicro() {
            return progress.speedMicro();
        }

        public long speedSinceMillis() {
            return progress.speedSinceMillis();
        }

        public long attemptWorkMicro() {
            return progress.attemptWorkMicro();
        }
    }

    /**
     * Where a job stands.
     *
     * @param outOfMemory how often it ran out of GPU memory
     * @param cancelling whether it is being stopped for good
     */
    public record Status(
            JobState state, int attempt, int preemptions, int outOfMemory, boolean cancelling, boolean onHold) {}

    /** See {@link JobView}. */
    public record Times(
            long submittedMillis, long fifoKeyMillis, long queuedMillis, long startedMillis, long runningMillis) {}

    /**
     * What a job has done.
     *
     * @param attainedMillis time running in earlier spans; the span that is open since {@code runningMillis} is not in it
     * @param attainedGpuMillis the same times the GPUs held
     * @param speedSinceMillis when the speed last changed
     * @param attemptWorkMicro work of this attempt up to then, in millionths of reference-milliseconds
     */
    public record Progress(
            long attainedMillis,
            long attainedGpuMillis,
            long savedWorkMillis,
            long peakWorkMillis,
            long speedMicro,
            long speedSinceMillis,
            long attemptWorkMicro) {}

    /**
     * What is known of a job's suspension.
     *
     * @param suspending whether its attempt is being suspended
     * @param tries what came of suspending it
     * @param process the attempt that started its processes; 0 for its latest one
     * @param unsavedMillis work that only its processes have
     * @param gpus the GPUs that its suspended processes left, null for none
     */
    public record SuspendState(
            boolean suspending,
            SuspendTries tries,
            int process,
            long unsavedMillis,
            @Nullable Gpus gpus,
            long memoryMibPerGpu) {
        public static final SuspendState NONE = new SuspendState(false, SuspendTries.NONE, 0, 0, null, 0);
    }

    /** When a preemption for a waiting job was last declined, and its estimates. */
    public record LastDeclined(long atMillis, int victims, long gainMillis, long costMillis) {}

    /** GPU numbers, ascending, and whether the job may be co-located with others on them. */
    public record Gpus(List<Integer> numbers, boolean shared) {
        public Gpus {
            numbers = List.copyOf(numbers);
        }

        public static @Nullable Gpus of(@Nullable Allocation allocation) {
            if (allocation == null) {
                return null;
            }
            if (allocation.size() == 1) { // most jobs
                return new Gpus(Collections.singletonList(allocation.gpu(0)), allocation.shared());
            }
            List<Integer> numbers = new ArrayList<>(allocation.size());
            for (int i = 0; i < allocation.size(); i++) {
                numbers.add(allocation.gpu(i));
            }
            return new Gpus(numbers, allocation.shared());
        }

        /** The same GPUs of a cluster; throws when the cluster lacks one. */
        public Allocation toAllocation(Topology topology) {
            for (int gpu : numbers) {
                if (gpu < 0 || gpu >= topology.gpuCount()) {
                    throw new IllegalArgumentException(
                            "the history names gpu " + gpu + "; this cluster has " + topology.gpuCount());
                }
            }
            return Allocation.of(
                    topology, numbers.stream().mapToInt(Integer::intValue).toArray(), shared);
        }
    }
}
