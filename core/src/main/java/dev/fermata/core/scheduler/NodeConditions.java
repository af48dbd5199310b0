package dev.fermata.core.scheduler;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.model.Topology;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** What keeps attempts from GPUs besides jobs: faults, drains, silence, failed starts and the load of others. */
final class NodeConditions {
    private Topology topology;
    private final BitSet gpuDown;
    private final BitSet nodeDown;
    private final BitSet excluded;
    private final BitSet unreachable;
    private final BitSet foreignGpu;
    private final @Nullable DrainNote[] drains;
    private final ForeignLoad[] foreign;

    /** @param before the conditions of the same cluster before it grew, null for none */
    NodeConditions(Topology topology, @Nullable NodeConditions before) {
        this.topology = topology;
        gpuDown = copy(before == null ? null : before.gpuDown);
        nodeDown = copy(before == null ? null : before.nodeDown);
        excluded = copy(before == null ? null : before.excluded);
        unreachable = copy(before == null ? null : before.unreachable);
        foreignGpu = copy(before == null ? null : before.foreignGpu);
        drains = new @Nullable DrainNote[topology.nodes().size()];
        foreign = new ForeignLoad[topology.nodes().size()];
        Arrays.fill(foreign, ForeignLoad.NONE);
        if (before != null) {
            System.arraycopy(before.drains, 0, drains, 0, before.drains.length);
            System.arraycopy(before.foreign, 0, foreign, 0, before.foreign.length);
        }
    }

    private static BitSet copy(@Nullable BitSet before) {
        return before == null ? new BitSet() : (BitSet) before.clone();
    }

    /** The same nodes and GPUs, described again. */
    void describe(Topology now) {
        topology = now;
    }

    /** Another node takes the slot: nothing of the last one is true of it. */
    void clear(int node) {
        nodeDown.clear(node);
        excluded.clear(node);
        unreachable.clear(node);
        drains[node] = null;
        foreign[node] = ForeignLoad.NONE;
        gpuDown.clear(topology.node(node).firstGpu(), topology.node(node).endGpu());
        foreignGpu.clear(topology.node(node).firstGpu(), topology.node(node).endGpu());
    }

    void setGpuDown(int gpu, boolean down) {
        gpuDown.set(gpu, down);
    }

    void setNodeDown(int node, boolean down) {
        nodeDown.set(node, down);
    }

    void setExcluded(int node, boolean isExcluded) {
        excluded.set(node, isExcluded);
    }

    void setUnreachable(int node, boolean isUnreachable) {
        unreachable.set(node, isUnreachable);
    }

    /** @param note null when the node is back in service */
    void setDrain(int node, @Nullable DrainNote note) {
        drains[node] = note;
    }

    void setForeign(int node, ForeignLoad load) {
        foreign[node] = load;
        foreignGpu.clear(topology.node(node).firstGpu(), topology.node(node).endGpu());
        load.gpus().forEach(foreignGpu::set);
    }

    /** Whether the GPU has a fault of its own, whether or not its node is down. */
    boolean isGpuDown(int gpu) {
        return gpuDown.get(gpu);
    }

    boolean isNodeDown(int node) {
        return nodeDown.get(node);
    }

    boolean isExcluded(int node) {
        return excluded.get(node);
    }

    boolean isUnreachable(int node) {
        return unreachable.get(node);
    }

    boolean isDrained(int node) {
        return drains[node] != null;
    }

    DrainNote drainNote(int node) {
        DrainNote note = drains[node];
        return note == null ? DrainNote.NONE : note;
    }

    ForeignLoad foreign(int node) {
        return foreign[node];
    }

    boolean isForeign(int gpu) {
        return foreignGpu.get(gpu);
    }

    /** Whether it is neither missing nor down, nor on a node that is. */
    boolean isUp(int gpu) {
        return !topology.isMissing(gpu) && !gpuDown.get(gpu) && !nodeDown.get(topology.nodeOf(gpu));
    }

    /** Whether it is up and not used by others: part of what the queues share. */
    boolean isOurs(int gpu) {
        return isUp(gpu) && !foreignGpu.get(gpu);
    }

    /** Whether attempts may start on it. */
    boolean isSchedulable(int gpu) {
        int node = topology.nodeOf(gpu);
        return isOurs(gpu) && !excluded.get(node) && !unreachable.get(node) && drains[node] == null;
    }
}
