package dev.fermata.sim.laws;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;

/** Which GPUs are out of order, from events alone; each fault of a GPU and of its node counts. */
final class Faulty {
    private final Topology topology;
    private final int[] faults;

    Faulty(Topology topology) {
        this.topology = topology;
        this.faults = new int[topology.gpuCount()];
    }

    void hear(Event event) {
        if (event instanceof Event.NodeDown e) {
            fault(topology.node(e.node()), 1);
        } else if (event instanceof Event.NodeUp e) {
            fault(topology.node(e.node()), -1);
        } else if (event instanceof Event.GpuDown e) {
            faults[e.gpu()]++;
        } else if (event instanceof Event.GpuUp e) {
            faults[e.gpu()]--;
        }
    }

    private void fault(Node node, int sign) {
        for (int g = 0; g < node.gpus(); g++) {
            faults[node.firstGpu() + g] += sign;
        }
    }

    boolean is(int gpu) {
        return faults[gpu] > 0;
    }
}
