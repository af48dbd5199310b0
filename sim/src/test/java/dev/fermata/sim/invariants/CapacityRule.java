package dev.fermata.sim.invariants;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.invariants.CheckedJob.TrackedState;
import java.util.Collection;

/** No GPU and no host is given away twice: every start is recounted from all jobs. */
final class CapacityRule {
    private final Topology topology;
    private final Collection<CheckedJob> jobs;
    private final LawAssert laws;

    CapacityRule(Topology topology, Collection<CheckedJob> jobs, LawAssert laws) {
        this.topology = topology;
        this.jobs = jobs;
        this.laws = laws;
    }

    /** Recounts one GPU from all jobs, those still leaving it included. */
    void checkGpuCapacity(int gpu, HistoryRecord.Started started) {
        int holders = 0;
        int exclusive = 0;
        long memory = 0;
        long milli = 0;
        for (CheckedJob other : jobs) {
            if (other.held != null && other.held.contains(gpu)) {
                holders++;
                exclusive += other.held.shared() ? 0 : 1;
                memory += other.job.demand().gpuMemoryOn(topology.types().get(topology.typeOf(gpu)));
                milli += other.job.demand().gpuMilli() < 1000
                        ? other.job.demand().gpuMilli()
                        : 0;
                laws.require(other.state != TrackedState.PREEMPTING, "a GPU being vacated is given to no job", started);
            }
        }
        laws.require(holders == 1 || exclusive == 0, "no GPU is given twice", started + " on gpu " + gpu);
        laws.require(milli <= 1000, "no share of compute is given twice", started);
        int max = topology.types().get(topology.typeOf(gpu)).memoryMib();
        laws.require(
                holders == 1 || memory <= max, "no GPU memory is given twice", started + ": " + memory + " of " + max);
    }

    void checkHostCapacity(Node node, HistoryRecord.Started started) {
        long cpu = 0;
        long memory = 0;
        for (CheckedJob other : jobs) {
            if (other.held != null) {
                int gpus = other.held.gpusOnNode(node.index());
                cpu += gpus * other.job.demand().cpuMilliPerGpu();
                memory += gpus * other.job.demand().memoryMibPerGpu();
            }
        }
        laws.require(cpu <= node.cpuMilli() && memory <= node.memoryMib(), "no CPU or RAM is given twice", started);
    }
}
