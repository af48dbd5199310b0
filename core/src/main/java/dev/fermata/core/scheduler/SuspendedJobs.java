package dev.fermata.core.scheduler;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.SchedulerSnapshot.Gpus;
import dev.fermata.core.contract.SchedulerSnapshot.SuspendState;
import dev.fermata.core.contract.SuspendTries;
import dev.fermata.core.contract.Suspension;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.SuspendCosts;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Suspension in place. A suspended job is pending and holds no GPU; its processes hold host memory of the nodes that it left,
 * from the decision to suspend it until it runs again or they are gone. Its next start is on GPUs of these nodes, unless a
 * plan abandons the processes.
 */
final class SuspendedJobs {
    private final ClusterState cluster;
    /** Host memory that suspended jobs hold, by node. */
    private long[] heldMib;
    /** The jobs that hold some, by id: suspended, being suspended or being resumed. */
    private final SortedMap<Long, TrackedJob> holders = new TreeMap<>();

    SuspendedJobs(ClusterState cluster) {
        this.cluster = cluster;
        this.heldMib = new long[cluster.topology.nodes().size()];
    }

    // ---- host memory ----

    /** What further suspended jobs may hold on a node. */
    long availableMib(int node) {
        long limit = cluster.topology.node(node).suspendMemoryMib() - heldMib[node];
        return Math.max(0, Math.min(limit, cluster.capacity.availableMemoryMib(node, Horizon.NOW)));
    }

    /** The cluster has changed: they hold the same in the new counters. */
    void moveTo(Capacity capacity) {
        heldMib = Arrays.copyOf(heldMib, capacity.topology().nodes().size());
        for (int node = 0; node < heldMib.length; node++) {
            capacity.changeMemory(node, -heldMib[node]);
        }
    }

    /** A node is gone, and with it the suspended processes that were there. */
    void loseOn(int node) {
        for (TrackedJob job : List.copyOf(holders.values())) {
            Suspension suspension = job.suspension;
            if (suspension != null
                    && job.state == JobState.PENDING
                    && suspension.gpus().gpusOnNode(node) > 0) {
                loseWithNode(job, suspension);
            }
        }
    }

    /** The attempt was suspended on a node that had left already. */
    void loseIfNodeLeft(TrackedJob job) {
        Suspension suspension = job.suspension;
        if (suspension != null && job.state == JobState.PENDING) {
            Allocation gpus = suspension.gpus();
            boolean left = IntStream.range(0, gpus.nodeCount())
                    .anyMatch(k -> cluster.topology.node(gpus.node(k)).presentGpus() == 0);
            if (left) {
                loseWithNode(job, suspension);
            }
        }
    }

    private void loseWithNode(TrackedJob job, Suspension suspension) {
        lose(job, suspension.savedWorkMillis(), "its node was removed");
    }

    /** Whether jobs have suspended processes there, or will. */
    boolean areOn(int node) {
        return holders.values().stream()
                .anyMatch(job -> Objects.requireNonNull(job.hostGpus).gpusOnNode(node) > 0);
    }

    long heldMib(int node) {
        return heldMib[node];
    }

    /** What a job's processes hold for each of its GPUs: the memory of the GPU, and what the job requested of the host. */
    private static long mibPerGpu(TrackedJob job) {
        return job.job.costs().suspend().memoryMibPerGpu() + job.job.demand().memoryMibPerGpu();
    }

    private void hold(TrackedJob job, Allocation gpus, long mibPerGpu) {
        release(job);
        job.hostGpus = gpus;
        job.hostMibPerGpu = mibPerGpu;
        holders.put(job.id(), job);
        change(gpus, mibPerGpu);
    }

    private void release(TrackedJob job) {
        if (job.hostGpus != null) {
            change(job.hostGpus, -job.hostMibPerGpu);
            job.hostGpus = null;
            holders.remove(job.id());
            cluster.memoryReleased();
        }
    }

    private void change(Allocation gpus, long mibPerGpu) {
        for (int k = 0; k < gpus.nodeCount(); k++) {
            long mib = gpus.gpusOn(k) * mibPerGpu;
            heldMib[gpus.node(k)] += mib;
            cluster.capacity.changeMemory(gpus.node(k), -mib);
        }
    }

    // ---- life of a suspension ----

    /** The job is leaving its GPUs in this way. */
    void begin(TrackedJob job, PreemptWay way) {
        job.suspending = way == PreemptWay.SUSPEND;
        if (job.suspending) {
            hold(job, Objects.requireNonNull(job.held), mibPerGpu(job));
        }
    }

    /** The attempt ends; called before its GPUs are released. */
    void endAttempt(TrackedJob job, Outcome outcome, Usage usage, JobState next) {
        if (outcome == Outcome.SUSPENDED && next == JobState.PENDING) {
            suspend(job, usage);
        } else if (job.suspension == null || next != JobState.PENDING || job.failedStart != job.attempt) {
            job.savedOnDiskMillis = usage.savedWorkMillis();
            job.suspendTries = new SuspendTries(0, 0, job.suspendTries.refused());
            // an attempt that was to resume them may have ended before its start reached the engine
            forget(job, outcome == Outcome.SUSPENDED || job.suspension != null);
        } // else its processes could not be resumed and are suspended still
        job.suspending = false;
    }

    private void suspend(TrackedJob job, Usage usage) {
        Allocation held = Objects.requireNonNull(job.held);
        long interval = job.job.checkpointMillis();
        if (interval > 0 && usage.runMillis() >= interval) {
            // when resumed processes save next is not known: at the latest after one interval
            long unsaved = job.process == job.attempt ? usage.runMillis() % interval : interval;
            job.savedOnDiskMillis = usage.savedWorkMillis() - job.workDuring(unsaved, cluster.nowMillis);
        }
        job.suspendTries = SuspendTries.NONE;
        job.suspension = new Suspension(job.process, held, mibPerGpu(job), job.savedOnDiskMillis);
        hold(job, held, job.suspension.memoryMibPerGpu());
    }

    /**
     * Its processes are gone, or are to go.
     *
     * @param kill whether the engine still has them
     */
    private void forget(TrackedJob job, boolean kill) {
        if (kill || (job.suspension != null && job.state == JobState.PENDING)) {
            cluster.orders.add(new Order.Kill(job.id(), job.process));
        }
        job.suspension = null;
        release(job);
    }

    /** Its processes make progress again. */
    void resumed(TrackedJob job) {
        job.suspension = null;
        release(job);
    }

    /** The job ends for good. */
    void end(TrackedJob job) {
        if (job.suspension != null) {
            forget(job, false);
        }
    }

    /** The attempt could not be suspended: it runs, and what it made room for waits again. */
    void fail(TrackedJob job, HistoryRecord.SuspendFailed failed) {
        Allocation held = Objects.requireNonNull(job.held);
        cluster.capacity.vacate(held, job.job.demand(), -1);
        cluster.vacatingJobs.remove(job);
        job.state = JobState.RUNNING;
        job.reopenRunningSpan();
        job.setSpeed(cluster.nowMillis, failed.speedMicro());
        job.preemptions--;
        job.suspendTries = job.suspendTries.failed(cluster.nowMillis, failed.lasting());
        job.suspending = false;
        release(job);
        cluster.records.add(failed);
        for (int i = 0; i < held.size(); i++) {
            cluster.nodes.releaseReservationOf(held.gpu(i));
        }
        cluster.capacityVersion++;
        cluster.markChanged(job);
    }

    /** The suspended processes are lost or abandoned, and with them what they did not save. */
    void lose(TrackedJob job, long savedWorkMillis, String cause) {
        Suspension was = Objects.requireNonNull(job.suspension);
        job.savedWorkMillis = savedWorkMillis;
        job.suspension = null;
        release(job);
        cluster.records.add(new HistoryRecord.SuspensionEnded(job.id(), was.process(), savedWorkMillis, cause));
        cluster.capacityVersion++;
        cluster.markChanged(job);
    }

    /** A plan restarts it elsewhere. */
    void abandon(TrackedJob job) {
        Suspension was = Objects.requireNonNull(job.suspension);
        cluster.orders.add(new Order.Kill(job.id(), was.process()));
        lose(job, was.savedWorkMillis(), "it restarts on other GPUs");
    }

    // ---- rules ----

    /** Why a job may not start on these GPUs for the sake of its suspended processes, or null. */
    static @Nullable String placeViolation(TrackedJob job, Allocation gpus) {
        Suspension suspension = job.suspension;
        if (suspension == null) {
            return null;
        }
        boolean sameGpus = job.job.costs().suspend().reach() == SuspendCosts.Reach.SAME_GPUS;
        if (gpus.shared() || gpus.size() != suspension.gpus().size()) {
            return "a suspended job gets as many GPUs as it left, for itself";
        }
        for (int i = 0; sameGpus && i < gpus.size(); i++) {
            if (!suspension.gpus().contains(gpus.gpu(i))) {
                return "a suspended job returns to the GPUs that it left";
            }
        }
        for (int k = 0; k < gpus.nodeCount(); k++) {
            if (suspension.gpus().gpusOnNode(gpus.node(k)) != gpus.gpusOn(k)) {
                return "a suspended job returns to the nodes that it left";
            }
        }
        return null;
    }

    /** Why a job cannot be suspended now, for users, or null. */
    @Nullable
    String obstacle(TrackedJob job) {
        Allocation held = job.held;
        if (job.state != JobState.RUNNING || job.cancelling || held == null) {
            return "it is not running";
        }
        if (!job.canBeSuspended()) {
            return job.suspendTries.refused() ? "its program can never be suspended" : "its engine cannot suspend jobs";
        }
        for (int k = 0; k < held.nodeCount(); k++) {
            if (held.shared() || held.gpusOn(k) * mibPerGpu(job) > availableMib(held.node(k))) {
                return held.shared() ? "it shares its GPUs" : "there is no RAM for it";
            }
        }
        return null;
    }

    /** Why the victims may not be preempted in these ways, or null. */
    @Nullable
    String wayViolation(Action.Preempt preempt, List<TrackedJob> victims) {
        long[] needed = new long[heldMib.length];
        for (int v = 0; v < victims.size(); v++) {
            TrackedJob victim = victims.get(v);
            Allocation held = victim.held;
            if (preempt.ways().get(v) != PreemptWay.SUSPEND || held == null) {
                continue;
            }
            if (!victim.canBeSuspended()) {
                return "victim " + victim.id() + " cannot be suspended";
            }
            for (int k = 0; k < held.nodeCount(); k++) {
                int node = held.node(k);
                needed[node] += held.gpusOn(k) * mibPerGpu(victim);
                if (needed[node] > availableMib(node)) {
                    return "node " + node + " has only " + availableMib(node) + " MiB for suspended jobs";
                }
            }
        }
        return null;
    }

    // ---- snapshots ----

    static SuspendState snapshotOf(TrackedJob job) {
        Suspension suspension = job.suspension;
        return new SuspendState(
                job.suspending,
                job.suspendTries,
                job.process == job.attempt ? 0 : job.process,
                job.savedWorkMillis - job.savedOnDiskMillis,
                suspension == null ? null : Gpus.of(suspension.gpus()),
                job.hostGpus == null ? 0 : job.hostMibPerGpu);
    }

    void restore(TrackedJob job, SuspendState state) {
        job.suspendTries = state.tries();
        job.suspending = state.suspending();
        job.process = state.process() == 0 ? job.attempt : state.process();
        job.savedOnDiskMillis = job.savedWorkMillis - state.unsavedMillis();
        if (state.gpus() != null) {
            Allocation gpus = state.gpus().toAllocation(cluster.topology);
            job.suspension = new Suspension(job.process, gpus, state.memoryMibPerGpu(), job.savedOnDiskMillis);
            hold(job, gpus, state.memoryMibPerGpu());
        } else if (state.suspending()) {
            hold(job, Objects.requireNonNull(job.held), state.memoryMibPerGpu());
        }
    }

    /** Whether the counters are what the jobs hold. */
    boolean isConsistent() {
        long[] counted = new long[heldMib.length];
        for (TrackedJob job : cluster.all()) {
            Allocation gpus = job.hostGpus;
            for (int k = 0; gpus != null && k < gpus.nodeCount(); k++) {
                counted[gpus.node(k)] += gpus.gpusOn(k) * job.hostMibPerGpu;
            }
            boolean holds = job.suspension != null || job.suspending;
            if ((gpus != null) != holds || holders.containsKey(job.id()) != holds) {
                return false;
            }
        }
        return Arrays.equals(counted, heldMib);
    }
}
