package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which GPUs are down, missing, drained or excluded; each fault of a GPU and of its node counts. Exclusions follow from failed
 * starts and their records, all else from events alone.
 */
final class FaultTracker {
    private static final int FAILURES_THAT_EXCLUDE = 3;

    private final Topology topology;
    private final int[] faultCounts;
    private final boolean[] drained;
    private final boolean[] missing;
    private final boolean[] unreachable;
    private final boolean[] foreign;
    /** Failed starts in a row that a node is the cause of, and until when that excludes it. */
    private final int[] startFailures;

    private final long[] excludedUntilMillis;
    /** What the last attempt of a job was started on. */
    private final Map<Long, Allocation> held = new HashMap<>();

    FaultTracker(Topology topology) {
        this.topology = topology;
        this.faultCounts = new int[topology.gpuCount()];
        this.drained = new boolean[topology.nodes().size()];
        this.missing = new boolean[topology.gpuCount()];
        this.unreachable = new boolean[topology.nodes().size()];
        this.foreign = new boolean[topology.gpuCount()];
        this.startFailures = new int[topology.nodes().size()];
        this.excludedUntilMillis = new long[topology.nodes().size()];
    }

    /** Of a scenario; nodes that are added later are missing until then. */
    static FaultTracker of(RandomScenario scenario) {
        FaultTracker faults = new FaultTracker(scenario.topology());
        NodeChanges changes = scenario.nodeChanges();
        int begin =
                changes == null ? faults.missing.length : changes.beginning().gpuCount();
        Arrays.fill(faults.missing, begin, faults.missing.length, true);
        return faults;
    }

    void onEvent(Event event) {
        if (event instanceof Event.NodeDown down) {
            count(topology.node(down.node()), 1);
        } else if (event instanceof Event.NodeUp up) {
            count(topology.node(up.node()), -1);
        } else if (event instanceof Event.GpuDown down) {
            faultCounts[down.gpu()]++;
        } else if (event instanceof Event.GpuUp up) {
            faultCounts[up.gpu()]--;
        } else if (event instanceof Event.NodeDrained drain) {
            drained[drain.node()] = true;
        } else if (event instanceof Event.NodeUndrained undrain) {
            drained[undrain.node()] = false;
        } else if (event instanceof Event.NodeUnreachable silent) {
            unreachable[silent.node()] = true;
        } else if (event instanceof Event.NodeReachable heard) {
            unreachable[heard.node()] = false;
        } else if (event instanceof Event.NodeRemoved removed) {
            Node node = topology.node(removed.node());
            Arrays.fill(missing, node.firstGpu(), node.endGpu(), true);
        } else if (event instanceof Event.NodeChanged changed) {
            describe(changed.node(), changed.spec());
        } else if (event instanceof Event.ForeignLoadChanged changed) {
            Node node = topology.node(changed.node());
            Arrays.fill(foreign, node.firstGpu(), node.endGpu(), false);
            changed.load().gpus().forEach(gpu -> foreign[gpu] = true);
        } else if (event instanceof Event.ClusterChanged changed) {
            for (int gpu = 0; gpu < missing.length; gpu++) {
                missing[gpu] = changed.topology().isMissing(gpu);
            }
        }
    }

    /** Returns the rule that the record breaks, or null. */
    @Nullable
    String onRecord(HistoryRecord record, long nowMillis) {
        if (record instanceof HistoryRecord.Started started) {
            held.put(started.jobId(), started.allocation());
        } else if (record instanceof HistoryRecord.Running running) {
            endExclusions(Objects.requireNonNull(held.get(running.jobId())));
        } else if (record instanceof HistoryRecord.NodeAdded added) {
            clear(added.node(), added.spec());
        } else if (record instanceof HistoryRecord.StartFailed failed) {
            return exclude(failed, nowMillis);
        }
        return null;
    }

    /** Another node is in the slot: nothing of the last one is true of it. */
    private void clear(int slot, NodeSpec spec) {
        describe(slot, spec);
        Node node = topology.node(slot);
        Arrays.fill(faultCounts, node.firstGpu(), node.endGpu(), 0);
        Arrays.fill(foreign, node.firstGpu(), node.endGpu(), false);
        drained[slot] = false;
        unreachable[slot] = false;
        startFailures[slot] = 0;
        excludedUntilMillis[slot] = 0;
    }

    /** GPUs that the node does not have yet are missing too. */
    private void describe(int slot, NodeSpec spec) {
        Node node = topology.node(slot);
        Arrays.fill(missing, node.firstGpu(), node.firstGpu() + spec.gpus(), false);
        spec.inventory().missing().forEach(position -> missing[node.firstGpu() + position] = true);
    }

    /** Whether the present cluster could hold it, all of it free. */
    boolean isFeasible(Job job, RandomScenario scenario) {
        return scenario.isFeasible(job, this::isMissing);
    }

    boolean isMissing(int gpu) {
        return missing[gpu];
    }

    private @Nullable String exclude(HistoryRecord.StartFailed failed, long nowMillis) {
        if (failed.node() < 0) {
            return failed.excludedUntilMillis() == 0 ? null : "a failed start that no node causes excludes none";
        }
        startFailures[failed.node()]++;
        excludedUntilMillis[failed.node()] = failed.excludedUntilMillis();
        boolean due = startFailures[failed.node()] >= FAILURES_THAT_EXCLUDE;
        return due == failed.excludedUntilMillis() > nowMillis
                ? null
                : "a node is excluded after " + FAILURES_THAT_EXCLUDE + " failed starts in a row";
    }

    private void endExclusions(Allocation started) {
        for (int i = 0; i < started.size(); i++) {
            int node = topology.nodeOf(started.gpu(i));
            startFailures[node] = 0;
            excludedUntilMillis[node] = 0;
        }
    }

    private void count(Node node, int sign) {
        for (int g = 0; g < node.gpus(); g++) {
            faultCounts[node.firstGpu() + g] += sign;
        }
    }

    /** Whether attempts may start on it. */
    boolean isSchedulable(int gpu, long nowMillis) {
        int node = topology.nodeOf(gpu);
        return faultCounts[gpu] == 0
                && !missing[gpu]
                && !foreign[gpu]
                && !drained[node]
                && !unreachable[node]
                && excludedUntilMillis[node] <= nowMillis;
    }
}
