package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;

/** Which GPUs are down, missing or drained, from events alone; each fault of a GPU and of its node counts. */
final class FaultTracker {
    private final Topology topology;
    private final int[] faultCounts;
    private final boolean[] drained;
    private final boolean[] missing;

    FaultTracker(Topology topology) {
        this.topology = topology;
        this.faultCounts = new int[topology.gpuCount()];
        this.drained = new boolean[topology.nodes().size()];
        this.missing = new boolean[topology.gpuCount()];
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
        } else if (event instanceof Event.ClusterChanged changed) {
            for (int gpu = 0; gpu < missing.length; gpu++) {
                missing[gpu] = changed.topology().isMissing(gpu);
            }
        }
    }

    private void count(Node node, int sign) {
        for (int g = 0; g < node.gpus(); g++) {
            faultCounts[node.firstGpu() + g] += sign;
        }
    }

    /** Whether attempts may start on it: neither down, missing nor drained. */
    boolean isSchedulable(int gpu) {
        return faultCounts[gpu] == 0 && !missing[gpu] && !drained[topology.nodeOf(gpu)];
    }
}
