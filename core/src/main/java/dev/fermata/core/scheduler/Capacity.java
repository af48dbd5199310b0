package dev.fermata.core.scheduler;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import org.jspecify.annotations.Nullable;

/**
 * Which GPUs are held, reserved or closed, and the indexes over what is left.
 *
 * <p>Each GPU has counters (jobs on it, jobs leaving it) and flags (reserved, closed by its node's conditions); its status follows from them
 * and is never set by hand. Every operation has an exact inverse (the same call with {@code -1}), which is all that the
 * draft's rollback needs. The indexes are touched once per node and operation.
 */
final class Capacity implements FreeCapacity {
    private static final byte FREE = 0;
    private static final byte VACATING = 1;
    private static final byte SHAREABLE = 2;
    private static final byte UNAVAILABLE = 3;

    private Topology topology;
    private final int[] jobsOnGpu;
    private final int[] vacatingJobs;
    private final int[] memoryUsed;
    private final int[] milliUsed;
    final NodeConditions conditions;
    /** Missing, down or used by others. */
    private final boolean[] unhealthy;
    /** No attempt starts on it. */
    private final boolean[] unschedulable;

    private final boolean[] exclusive;
    private final boolean[] reserved;
    private final byte[] status;
    private final long[] freeBits;
    private final long[] vacatingBits;
    private final long[] shareableBits;
    private final int[] nodeFree;
    private final int[] nodeSoon;
    private final int[] nodeType;
    private final int[] nodeRack;
    private final HostCapacity hosts;
    private final int[] typeFree;
    private final int[] typeSoon;
    private final int[] shareableOfType;
    private final int[] schedulableOfType;
    private final int[][] rackFree;
    private final int[][] rackSoon;
    private final NodeAvailabilityIndex nodesByFree;
    private final NodeAvailabilityIndex nodesBySoon;
    private int freeGpus;
    private int soonGpus;
    private int gpusUp;

    Capacity(Topology topology) {
        this(topology, new NodeConditions(topology, null));
    }

    /** Without jobs and reservations. */
    Capacity(Topology topology, NodeConditions conditions) {
        this.topology = topology;
        this.conditions = conditions;
        int gpus = topology.gpuCount();
        int nodes = topology.nodes().size();
        int types = topology.types().size();
        jobsOnGpu = new int[gpus];
        vacatingJobs = new int[gpus];
        memoryUsed = new int[gpus];
        milliUsed = new int[gpus];
        unhealthy = new boolean[gpus];
        unschedulable = new boolean[gpus];
        exclusive = new boolean[gpus];
        reserved = new boolean[gpus];
        status = new byte[gpus];
        freeBits = new long[(gpus + 63) >>> 6];
        vacatingBits = new long[(gpus + 63) >>> 6];
        shareableBits = new long[(gpus + 63) >>> 6];
        nodeFree = new int[nodes];
        nodeSoon = new int[nodes];
        nodeType = new int[nodes];
        nodeRack = new int[nodes];
        hosts = new HostCapacity(topology, conditions);
        typeFree = new int[types];
        typeSoon = new int[types];
        shareableOfType = new int[types];
        schedulableOfType = new int[types];
        rackFree = new int[topology.racks().size()][types];
        rackSoon = new int[topology.racks().size()][types];
        int largest = topology.nodes().stream().mapToInt(Node::gpus).max().orElse(0);
        freeGpus = gpus;
        soonGpus = gpus;
        gpusUp = gpus;
        nodesByFree = new NodeAvailabilityIndex(types, nodes, largest);
        nodesBySoon = new NodeAvailabilityIndex(types, nodes, largest);
        for (Node node : topology.nodes()) {
            int n = node.index();
            nodeType[n] = node.type();
            nodeRack[n] = node.rack();
            nodeFree[n] = node.gpus();
            nodeSoon[n] = node.gpus();
            schedulableOfType[node.type()] += node.gpus();
            typeFree[node.type()] += node.gpus();
            typeSoon[node.type()] += node.gpus();
            rackFree[node.rack()][node.type()] += node.gpus();
            rackSoon[node.rack()][node.type()] += node.gpus();
            nodesByFree.add(node.type(), n, node.gpus());
            nodesBySoon.add(node.type(), n, node.gpus());
            for (int g = 0; g < node.gpus(); g++) {
                Bits.set(freeBits, node.firstGpu() + g, true);
            }
        }
        for (int gpu = 0; gpu < gpus; gpu++) {
            if (!conditions.isSchedulable(gpu)) {
                updateHealth(gpu);
            }
        }
    }

    // ---- changes; each undone by the same call with the opposite sign ----

    private enum Change {
        OCCUPY,
        VACATE,
        RESERVE,
        RELEASE_VACATED,
        CLAIM_RESERVATION
    }

    /** A job's attempt takes ({@code +1}) or gives back ({@code -1}) GPUs, CPU and RAM. */
    void occupy(Allocation allocation, Demand demand, int sign) {
        change(Change.OCCUPY, allocation, demand, sign);
    }

    /** The job on these GPUs is leaving ({@code +1}), or is no longer leaving ({@code -1}). */
    void vacate(Allocation allocation, Demand demand, int sign) {
        change(Change.VACATE, allocation, demand, sign);
    }

    /** Reserves GPUs, CPU and RAM for a pending job; they may still be in use by leaving jobs. */
    void reserve(Allocation allocation, Demand demand, int sign) {
        change(Change.RESERVE, allocation, demand, sign);
    }

    /** A job that was leaving is gone: no longer leaving, no longer holding. */
    void releaseVacated(Allocation allocation, Demand demand) {
        change(Change.RELEASE_VACATED, allocation, demand, -1);
    }

    /** The reservation is used: its GPUs are now held by the job. */
    void claimReservation(Allocation allocation, Demand demand) {
        change(Change.CLAIM_RESERVATION, allocation, demand, 1);
    }

    private void change(Change change, Allocation allocation, Demand demand, int sign) {
        int i = 0;
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int node = allocation.node(k);
            int end = i + allocation.gpusOn(k);
            int free = nodeFree[node];
            int soon = nodeSoon[node];
            int mib = allocation.shared() ? sign * demand.gpuMemoryOn(topology, allocation.gpu(i)) : 0;
            for (; i < end; i++) {
                int gpu = allocation.gpu(i);
                switch (change) {
                    case OCCUPY -> occupyGpu(gpu, allocation.shared(), mib, demand, sign);
                    case VACATE -> vacatingJobs[gpu] += sign;
                    case RESERVE -> reserved[gpu] = sign > 0;
                    case RELEASE_VACATED -> {
                        vacatingJobs[gpu]--;
                        occupyGpu(gpu, allocation.shared(), mib, demand, sign);
                    }
                    case CLAIM_RESERVATION -> {
                        reserved[gpu] = false;
                        occupyGpu(gpu, allocation.shared(), mib, demand, sign);
                    }
                }
                updateStatus(gpu, node);
            }
            changeHost(change, node, (long) sign * allocation.gpusOn(k), demand);
            reindex(node, free, soon);
        }
    }

    void changeMemory(int node, long mib) {
        hosts.changeMemory(node, mib);
    }

    /** @param mib memory that it takes on a shared GPU, below 0 where it gives it back */
    private void occupyGpu(int gpu, boolean shared, int mib, Demand demand, int sign) {
        jobsOnGpu[gpu] += sign;
        if (shared) {
            memoryUsed[gpu] += mib;
            milliUsed[gpu] += demand.gpuMilli() < 1000 ? sign * demand.gpuMilli() : 0;
        } else {
            exclusive[gpu] = sign > 0;
        }
    }

    private void changeHost(Change change, int node, long gpus, Demand demand) {
        if (change == Change.VACATE || change == Change.RELEASE_VACATED) {
            hosts.vacate(node, gpus, demand);
        }
        if (change != Change.VACATE && change != Change.CLAIM_RESERVATION) {
            hosts.take(node, gpus, demand);
        }
    }

    /** A GPU of its own is down or up again; a repetition changes nothing. */
    void setGpuDown(int gpu, boolean down) {
        conditions.setGpuDown(gpu, down);
        updateHealth(gpu);
    }

    /** A whole node is down or up again; its GPUs may have faults of their own too. */
    void setNodeDown(int node, boolean down) {
        conditions.setNodeDown(node, down);
        updateHealthOfNode(node);
    }

    /** No attempt starts on a drained node; attempts on it continue, and its health is another matter. */
    void setNodeDrained(int node, @Nullable DrainNote note) {
        conditions.setDrain(node, note);
        updateHealthOfNode(node);
    }

    /** No attempt starts on an excluded node, as on a drained one. */
    void setNodeExcluded(int node, boolean excluded) {
        conditions.setExcluded(node, excluded);
        updateHealthOfNode(node);
    }

    /** No attempt starts on a node of which nothing is heard, as on a drained one. */
    void setNodeUnreachable(int node, boolean unreachable) {
        conditions.setUnreachable(node, unreachable);
        updateHealthOfNode(node);
    }

    /** Others use this much of the node. */
    void setForeignLoad(int node, ForeignLoad load) {
        hosts.changeForeign(node, conditions.foreign(node), load);
        conditions.setForeign(node, load);
        updateHealthOfNode(node);
    }

    /** Another node takes this slot: what kept attempts from the last one is over. Ends with {@link #describe} or a new count. */
    void clearConditions(int node) {
        hosts.changeForeign(node, conditions.foreign(node), ForeignLoad.NONE);
        conditions.clear(node);
    }

    /** A node says something else of itself, or another of its form takes its place. */
    void describe(Topology now, int node) {
        hosts.resize(topology.node(node), now.node(node));
        topology = now;
        conditions.describe(now);
        updateHealthOfNode(node);
    }

    private void updateHealthOfNode(int node) {
        for (int gpu = topology.node(node).firstGpu(); gpu < topology.node(node).endGpu(); gpu++) {
            updateHealth(gpu);
        }
    }

    private void updateHealth(int gpu) {
        int node = topology.nodeOf(gpu);
        int free = nodeFree[node];
        int soon = nodeSoon[node];
        boolean lost = !conditions.isOurs(gpu);
        gpusUp += (unhealthy[gpu] ? 1 : 0) - (lost ? 1 : 0);
        unhealthy[gpu] = lost;
        boolean closed = !conditions.isSchedulable(gpu);
        schedulableOfType[nodeType[node]] += (unschedulable[gpu] ? 1 : 0) - (closed ? 1 : 0);
        unschedulable[gpu] = closed;
        updateStatus(gpu, node);
        reindex(node, free, soon);
    }

    private void updateStatus(int gpu, int node) {
        byte now = statusOf(gpu);
        byte was = status[gpu];
        if (now == was) {
            return;
        }
        status[gpu] = now;
        if (was == FREE || now == FREE) {
            Bits.set(freeBits, gpu, now == FREE);
            nodeFree[node] += now == FREE ? 1 : -1;
        }
        if (was == VACATING || now == VACATING) {
            Bits.set(vacatingBits, gpu, now == VACATING);
        }
        if (was == SHAREABLE || now == SHAREABLE) {
            Bits.set(shareableBits, gpu, now == SHAREABLE);
            shareableOfType[nodeType[node]] += now == SHAREABLE ? 1 : -1;
        }
        nodeSoon[node] += (now <= VACATING ? 1 : 0) - (was <= VACATING ? 1 : 0);
    }

    private byte statusOf(int gpu) {
        if (unschedulable[gpu] || reserved[gpu]) {
            return UNAVAILABLE;
        }
        if (jobsOnGpu[gpu] == 0) {
            return FREE;
        }
        if (vacatingJobs[gpu] == jobsOnGpu[gpu]) {
            return VACATING;
        }
        return vacatingJobs[gpu] == 0 && !exclusive[gpu] ? SHAREABLE : UNAVAILABLE;
    }

    private void reindex(int node, int freeBefore, int soonBefore) {
        int type = nodeType[node];
        int free = nodeFree[node];
        if (free != freeBefore) {
            nodesByFree.move(type, node, freeBefore, free);
            typeFree[type] += free - freeBefore;
            freeGpus += free - freeBefore;
            rackFree[nodeRack[node]][type] += free - freeBefore;
        }
        int soon = nodeSoon[node];
        if (soon != soonBefore) {
            nodesBySoon.move(type, node, soonBefore, soon);
            typeSoon[type] += soon - soonBefore;
            soonGpus += soon - soonBefore;
            rackSoon[nodeRack[node]][type] += soon - soonBefore;
        }
    }

    // ---- queries of the scheduler itself ----

    /** Whether a reserved allocation is ready: all its GPUs empty and schedulable, its hosts with room. */
    boolean isVacated(Allocation allocation) {
        for (int i = 0; i < allocation.size(); i++) {
            int gpu = allocation.gpu(i);
            if (jobsOnGpu[gpu] > 0 || unschedulable[gpu]) {
                return false;
            }
        }
        return hostsHaveRoom(allocation);
    }

    boolean hostsHaveRoom(Allocation allocation) {
        for (int k = 0; k < allocation.nodeCount(); k++) {
            if (!hosts.isEnough(allocation.node(k))) {
                return false;
            }
        }
        return true;
    }

    boolean isFree(int gpu) {
        return status[gpu] == FREE;
    }

    boolean isReserved(int gpu) {
        return reserved[gpu];
    }

    int vacatingJobs(int gpu) {
        return vacatingJobs[gpu];
    }

    @Override
    public long availableCpuMilli(int node, Horizon horizon) {
        return hosts.cpuMilli(node, horizon);
    }

    @Override
    public long availableMemoryMib(int node, Horizon horizon) {
        return hosts.memoryMib(node, horizon);
    }

    /** GPUs free now plus GPUs free soon: grows when a GPU becomes free, or will. */
    int availabilitySum() {
        return freeGpus + soonGpus;
    }

    int gpusUp() {
        return gpusUp;
    }

    int schedulableGpus(int type) {
        return schedulableOfType[type];
    }

    // ---- what policies see ----

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public int available(int type, Horizon horizon) {
        return horizon == Horizon.NOW ? typeFree[type] : typeSoon[type];
    }

    @Override
    public int availableOnNode(int node, Horizon horizon) {
        return horizon == Horizon.NOW ? nodeFree[node] : nodeSoon[node];
    }

    @Override
    public int availableInRack(int rack, int type, Horizon horizon) {
        return (horizon == Horizon.NOW ? rackFree : rackSoon)[rack][type];
    }

    @Override
    public int nextAvailableCount(int type, int atLeast, Horizon horizon) {
        return index(horizon).next(type, atLeast);
    }

    @Override
    public int previousAvailableCount(int type, int atMost, Horizon horizon) {
        return index(horizon).previous(type, atMost);
    }

    @Override
    public int nodeWithAvailable(int type, int count, int from, int end, Horizon horizon) {
        return index(horizon).findNode(type, count, from, end);
    }

    private NodeAvailabilityIndex index(Horizon horizon) {
        return horizon == Horizon.NOW ? nodesByFree : nodesBySoon;
    }

    @Override
    public int hostCapacityFor(int node, Demand demand, Horizon horizon) {
        return hosts.gpusOf(node, demand, horizon);
    }

    @Override
    public void pickGpus(int node, int count, int[] out, int at, Horizon horizon) {
        Node where = topology.node(node);
        int n = pickFrom(freeBits, where, out, at, at + count);
        if (horizon == Horizon.SOON && n < at + count) {
            n = pickFrom(vacatingBits, where, out, n, at + count);
        }
        if (n < at + count) {
            throw new IllegalStateException("node " + node + " has fewer than " + count + " GPUs available");
        }
    }

    private static int pickFrom(long[] bits, Node node, int[] out, int at, int until) {
        int n = at;
        int gpu = Bits.next(bits, node.firstGpu(), node.endGpu());
        for (; gpu >= 0 && n < until; gpu = Bits.next(bits, gpu + 1, node.endGpu())) {
            out[n++] = gpu;
        }
        return n;
    }

    @Override
    public boolean isSchedulable(int gpu) {
        return !unschedulable[gpu];
    }

    @Override
    public int jobsOn(int gpu) {
        return jobsOnGpu[gpu];
    }

    @Override
    public boolean isShareable(int gpu) {
        return status[gpu] == SHAREABLE;
    }

    @Override
    public int nextShareable(int type, int from) {
        if (shareableOfType[type] == 0) {
            return -1;
        }
        int gpu = Bits.next(shareableBits, from, status.length);
        while (gpu >= 0 && nodeType[topology.nodeOf(gpu)] != type) {
            gpu = Bits.next(shareableBits, gpu + 1, status.length);
        }
        return gpu;
    }

    @Override
    public int freeGpuMemoryMib(int gpu) {
        return topology.types().get(topology.typeOf(gpu)).memoryMib() - memoryUsed[gpu];
    }

    @Override
    public int freeGpuMilli(int gpu) {
        return 1000 - milliUsed[gpu];
    }
}
