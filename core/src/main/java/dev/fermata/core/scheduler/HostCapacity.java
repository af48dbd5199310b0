package dev.fermata.core.scheduler;

import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;

/** The CPU and RAM of the nodes that no job, suspended job or other user has; part of {@link Capacity}. */
final class HostCapacity {
    private final long[] cpuFree;
    private final long[] cpuVacating;
    private final long[] memoryFree;
    private final long[] memoryVacating;

    HostCapacity(Topology topology, NodeConditions conditions) {
        int nodes = topology.nodes().size();
        cpuFree = new long[nodes];
        cpuVacating = new long[nodes];
        memoryFree = new long[nodes];
        memoryVacating = new long[nodes];
        for (Node node : topology.nodes()) {
            cpuFree[node.index()] = node.cpuMilli();
            memoryFree[node.index()] = node.memoryMib();
            changeForeign(node.index(), ForeignLoad.NONE, conditions.foreign(node.index()));
        }
    }

    void changeForeign(int node, ForeignLoad before, ForeignLoad now) {
        cpuFree[node] += before.cpuMilli() - now.cpuMilli();
        memoryFree[node] += before.memoryMib() - now.memoryMib();
    }

    /** The node has another size. */
    void resize(Node before, Node now) {
        cpuFree[now.index()] += now.cpuMilli() - before.cpuMilli();
        memoryFree[now.index()] += now.memoryMib() - before.memoryMib();
    }

    void changeMemory(int node, long mib) {
        memoryFree[node] += mib;
    }

    /** What a job has on so many GPUs is taken; less than none gives it back. */
    void take(int node, long gpus, Demand demand) {
        cpuFree[node] -= gpus * demand.cpuMilliPerGpu();
        memoryFree[node] -= gpus * demand.memoryMibPerGpu();
    }

    /** What a job has on so many GPUs is being vacated; less than none: no longer. */
    void vacate(int node, long gpus, Demand demand) {
        cpuVacating[node] += gpus * demand.cpuMilliPerGpu();
        memoryVacating[node] += gpus * demand.memoryMibPerGpu();
    }

    /** Whether no more is taken than there is. */
    boolean isEnough(int node) {
        return cpuFree[node] >= 0 && memoryFree[node] >= 0;
    }

    long cpuMilli(int node, Horizon horizon) {
        return cpuFree[node] + (horizon == Horizon.SOON ? cpuVacating[node] : 0);
    }

    long memoryMib(int node, Horizon horizon) {
        return memoryFree[node] + (horizon == Horizon.SOON ? memoryVacating[node] : 0);
    }

    /** For how many GPUs of a demand there is CPU and RAM. */
    int gpusOf(int node, Demand demand, Horizon horizon) {
        long byCpu =
                demand.cpuMilliPerGpu() == 0 ? Integer.MAX_VALUE : cpuMilli(node, horizon) / demand.cpuMilliPerGpu();
        long byMemory =
                demand.memoryMibPerGpu() == 0 ? Integer.MAX_VALUE : memoryMib(node, horizon) / demand.memoryMibPerGpu();
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, Math.min(byCpu, byMemory)));
    }
}
