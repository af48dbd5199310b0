package dev.fermata.core.scheduler;

import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import org.jspecify.annotations.Nullable;

/**
 * Checks the counters of the cluster state against its jobs, for the guard's full mode. Everything that {@link Capacity} keeps
 * is counted again from the jobs, the faults and the drains alone. Costs O(jobs + GPUs); changes nothing.
 */
final class ConsistencyCheck {
    private final ClusterState cluster;

    ConsistencyCheck(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** One count of everything that the jobs hold or have reserved. */
    private static final class Count {
        final Topology topology;
        final int[] held;
        final int[] alone;
        final int[] vacating;
        final int[] reserved;
        final int[] memory;
        final int[] milli;
        final long[] cpu;
        final long[] ram;
        final long[] cpuVacating;
        final long[] ramVacating;

        Count(Topology topology) {
            this.topology = topology;
            int gpus = topology.gpuCount();
            int nodes = topology.nodes().size();
            held = new int[gpus];
            alone = new int[gpus];
            vacating = new int[gpus];
            reserved = new int[gpus];
            memory = new int[gpus];
            milli = new int[gpus];
            cpu = new long[nodes];
            ram = new long[nodes];
            cpuVacating = new long[nodes];
            ramVacating = new long[nodes];
        }

        void add(TrackedJob job) {
            Demand demand = job.job.demand();
            boolean leaves = job.state == JobState.PREEMPTING;
            if (job.held != null) {
                for (int gpu : job.held.toArray()) {
                    held[gpu]++;
                    alone[gpu] += job.held.shared() ? 0 : 1;
                    vacating[gpu] += leaves ? 1 : 0;
                    memory[gpu] += job.held.shared() ? demand.gpuMemoryOn(topology, gpu) : 0;
                    milli[gpu] += job.held.shared() && demand.gpuMilli() < 1000 ? demand.gpuMilli() : 0;
                }
                host(job.held, demand, cpu, ram);
                if (leaves) {
                    host(job.held, demand, cpuVacating, ramVacating);
                }
            }
            if (job.reservation != null) {
                for (int gpu : job.reservation.toArray()) {
                    reserved[gpu]++;
                }
                host(job.reservation, demand, cpu, ram);
            }
        }

        private static void host(Allocation allocation, Demand demand, long[] cpu, long[] ram) {
            for (int k = 0; k < allocation.nodeCount(); k++) {
                cpu[allocation.node(k)] += allocation.gpusOn(k) * demand.cpuMilliPerGpu();
                ram[allocation.node(k)] += allocation.gpusOn(k) * demand.memoryMibPerGpu();
            }
        }
    }

    /** The first difference between the counters and the jobs, or null. */
    @Nullable
    String findInconsistency() {
        Count count = new Count(cluster.topology);
        Feasibility feasibility = new Feasibility(cluster.topology);
        int pendingSeen = 0;
        int runningSeen = 0;
        for (TrackedJob job : cluster.all()) {
            pendingSeen += job.state == JobState.PENDING ? 1 : 0;
            runningSeen += job.state.holdsGpus() ? 1 : 0;
            if (job.state.holdsGpus() != (job.held != null)) {
                return job + ": state and GPUs held disagree";
            }
            count.add(job);
            if (job.lacksNodes != feasibility.lacksNodes(job)) {
                return job + ": whether the cluster has too few GPUs for it is off";
            }
        }
        if (pendingSeen != cluster.pendingCount || runningSeen != cluster.runningCount) {
            return "counted " + pendingSeen + " pending and " + runningSeen + " running, counters say "
                    + cluster.pendingCount + " and " + cluster.runningCount;
        }
        if (!cluster.suspended.isConsistent()) {
            return "counters of the host memory of suspended jobs are off";
        }
        String broken = gpus(count);
        broken = broken == null ? hosts(count) : broken;
        broken = broken == null ? gpusUp() : broken;
        return broken == null ? sums(count) : broken;
    }

    private @Nullable String gpus(Count count) {
        Capacity counters = cluster.capacity;
        for (int gpu = 0; gpu < count.held.length; gpu++) {
            if (count.held[gpu] != counters.jobsOn(gpu)
                    || count.vacating[gpu] != counters.vacatingJobs(gpu)
                    || count.reserved[gpu] > 1
                    || (count.reserved[gpu] == 1) != counters.isReserved(gpu)) {
                return "gpu " + gpu + ": held by " + count.held[gpu] + ", left by " + count.vacating[gpu]
                        + " and reserved by " + count.reserved[gpu] + ", counters say " + counters.jobsOn(gpu) + ", "
                        + counters.vacatingJobs(gpu) + " and " + counters.isReserved(gpu);
            }
            if (!isIndexed(gpu, count)) {
                return "gpu " + gpu + ": the index of its jobs is off";
            }
            int size =
                    cluster.topology.types().get(cluster.topology.typeOf(gpu)).memoryMib();
            if (size - count.memory[gpu] != counters.freeGpuMemoryMib(gpu)
                    || 1000 - count.milli[gpu] != counters.freeGpuMilli(gpu)) {
                return "gpu " + gpu + ": its memory or share counters are off";
            }
            boolean usable = isSchedulable(gpu) && count.reserved[gpu] == 0;
            boolean free = usable && count.held[gpu] == 0;
            boolean open = usable && count.held[gpu] > 0 && count.vacating[gpu] == 0 && count.alone[gpu] == 0;
            if (free != counters.isFree(gpu) || open != counters.isShareable(gpu)) {
                return "gpu " + gpu + ": its free or shareable flag is off";
            }
        }
        return null;
    }

    private @Nullable String gpusUp() {
        int up = 0;
        int[] schedulable = new int[cluster.topology.types().size()];
        for (int gpu = 0; gpu < cluster.topology.gpuCount(); gpu++) {
            up += cluster.capacity.conditions.isOurs(gpu) ? 1 : 0;
            schedulable[cluster.topology.typeOf(gpu)] += isSchedulable(gpu) ? 1 : 0;
        }
        boolean off = up != cluster.capacity.gpusUp();
        for (int type = 0; type < schedulable.length; type++) {
            off |= schedulable[type] != cluster.capacity.schedulableGpus(type);
        }
        return off ? "counters of GPUs that are up or schedulable are off" : null;
    }

    private boolean isIndexed(int gpu, Count count) {
        GpuIndex use = cluster.gpuUse;
        return use.jobsOn(gpu).size() == count.held[gpu]
                && use.jobsOn(gpu).stream().allMatch(job -> ((TrackedJob) job).holds(gpu))
                && (use.reservedFor(gpu) != null) == (count.reserved[gpu] == 1);
    }

    private boolean isSchedulable(int gpu) {
        return cluster.capacity.conditions.isSchedulable(gpu);
    }

    private @Nullable String hosts(Count count) {
        Capacity counters = cluster.capacity;
        for (Node node : cluster.topology.nodes()) {
            int n = node.index();
            ForeignLoad others = counters.conditions.foreign(n);
            long cpu = node.cpuMilli() - count.cpu[n] - others.cpuMilli();
            long ram = node.memoryMib() - count.ram[n] - others.memoryMib() - cluster.suspended.heldMib(n);
            if (cpu != counters.availableCpuMilli(n, Horizon.NOW)
                    || ram != counters.availableMemoryMib(n, Horizon.NOW)) {
                return "node " + n + ": CPU or RAM counters are off";
            }
            if (cpu + count.cpuVacating[n] != counters.availableCpuMilli(n, Horizon.SOON)
                    || ram + count.ramVacating[n] != counters.availableMemoryMib(n, Horizon.SOON)) {
                return "node " + n + ": counters of the CPU or RAM that is being vacated are off";
            }
        }
        return null;
    }

    /** What is free now and soon, by node, rack and type. */
    private @Nullable String sums(Count count) {
        for (Horizon horizon : Horizon.values()) {
            int[][] racks = new int[cluster.topology.racks().size()]
                    [cluster.topology.types().size()];
            int[] types = new int[cluster.topology.types().size()];
            for (Node node : cluster.topology.nodes()) {
                int available = 0;
                for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
                    int stay = horizon == Horizon.NOW ? count.held[gpu] : count.held[gpu] - count.vacating[gpu];
                    boolean usable = isSchedulable(gpu) && count.reserved[gpu] == 0;
                    available += usable && stay == 0 ? 1 : 0;
                }
                racks[node.rack()][node.type()] += available;
                types[node.type()] += available;
                if (available != cluster.capacity.availableOnNode(node.index(), horizon)) {
                    return "node " + node.index() + ": " + available + " GPUs " + horizon + ", counters say "
                            + cluster.capacity.availableOnNode(node.index(), horizon);
                }
            }
            for (int type = 0; type < types.length; type++) {
                boolean off = types[type] != cluster.capacity.available(type, horizon);
                for (int rack = 0; rack < racks.length; rack++) {
                    off |= racks[rack][type] != cluster.capacity.availableInRack(rack, type, horizon);
                }
                if (off) {
                    return "type " + type + ": counters of its GPUs " + horizon + " are off";
                }
            }
        }
        return null;
    }
}
