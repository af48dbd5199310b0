package dev.fermata.core.cycle;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;

/**
 * Who holds which GPU, and the indexes over what is left.
 *
 * <p>Each GPU has four counters (jobs on it, jobs leaving it, promised or not, faulty or not); its status follows from them and
 * is never set by hand. Every operation has an exact inverse (the same call with {@code -1}), which is all that the
 * draft's rollback needs. The indexes are touched once per node and operation.
 */
final class Capacity implements Space {
    private static final byte FREE = 0;
    private static final byte VACATING = 1;
    private static final byte OPEN = 2;
    private static final byte TAKEN = 3;

    private final Topology topology;
    private final int[] sharers;
    private final int[] leaving;
    private final int[] memoryUsed;
    private final int[] milliUsed;
    private final boolean[] gpuDown;
    private final boolean[] nodeDown;
    private final boolean[] faulty;
    private final boolean[] exclusive;
    private final boolean[] promised;
    private final byte[] status;
    private final long[] freeBits;
    private final long[] vacatingBits;
    private final long[] openBits;
    private final int[] nodeFree;
    private final int[] nodeSoon;
    private final int[] nodeType;
    private final int[] nodeRack;
    private final long[] cpuFree;
    private final long[] cpuLeaving;
    private final long[] memoryFree;
    private final long[] memoryLeaving;
    private final int[] typeFree;
    private final int[] typeSoon;
    private final int[] typeOpen;
    private final int[] typeFaulty;
    private final int[][] rackFree;
    private final int[][] rackSoon;
    private final CountIndex nodesByFree;
    private final CountIndex nodesBySoon;
    private int freeGpus;
    private int soonGpus;

    Capacity(Topology topology) {
        this.topology = topology;
        int gpus = topology.gpuCount();
        int nodes = topology.nodes().size();
        int types = topology.types().size();
        sharers = new int[gpus];
        leaving = new int[gpus];
        memoryUsed = new int[gpus];
        milliUsed = new int[gpus];
        gpuDown = new boolean[gpus];
        nodeDown = new boolean[nodes];
        faulty = new boolean[gpus];
        exclusive = new boolean[gpus];
        promised = new boolean[gpus];
        status = new byte[gpus];
        freeBits = new long[(gpus + 63) >>> 6];
        vacatingBits = new long[(gpus + 63) >>> 6];
        openBits = new long[(gpus + 63) >>> 6];
        nodeFree = new int[nodes];
        nodeSoon = new int[nodes];
        nodeType = new int[nodes];
        nodeRack = new int[nodes];
        cpuFree = new long[nodes];
        cpuLeaving = new long[nodes];
        memoryFree = new long[nodes];
        memoryLeaving = new long[nodes];
        typeFree = new int[types];
        typeSoon = new int[types];
        typeOpen = new int[types];
        typeFaulty = new int[types];
        rackFree = new int[topology.racks().size()][types];
        rackSoon = new int[topology.racks().size()][types];
        int largest = 0;
        for (int t = 0; t < types; t++) {
            largest = Math.max(largest, topology.largestNode(t));
        }
        freeGpus = gpus;
        soonGpus = gpus;
        nodesByFree = new CountIndex(types, nodes, largest);
        nodesBySoon = new CountIndex(types, nodes, largest);
        for (Node node : topology.nodes()) {
            int n = node.index();
            nodeType[n] = node.type();
            nodeRack[n] = node.rack();
            cpuFree[n] = node.cpuMilli();
            memoryFree[n] = node.memoryMib();
            nodeFree[n] = node.gpus();
            nodeSoon[n] = node.gpus();
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
    }

    // ---- changes; each undone by the same call with the opposite sign ----

    private enum Change {
        HOLD,
        LEAVE,
        PROMISE,
        DEPART,
        REDEEM
    }

    /** A job's attempt takes ({@code +1}) or gives back ({@code -1}) GPUs, CPU and RAM. */
    void hold(Allocation allocation, Demand demand, int sign) {
        change(Change.HOLD, allocation, demand, sign);
    }

    /** The job on these GPUs was asked to leave ({@code +1}), or is no longer leaving ({@code -1}). */
    void leave(Allocation allocation, Demand demand, int sign) {
        change(Change.LEAVE, allocation, demand, sign);
    }

    /** Keeps GPUs, CPU and RAM for a pending job; they may still be being vacated. */
    void promise(Allocation allocation, Demand demand, int sign) {
        change(Change.PROMISE, allocation, demand, sign);
    }

    /** A job that was leaving is gone: no longer leaving, no longer holding. */
    void depart(Allocation allocation, Demand demand) {
        change(Change.DEPART, allocation, demand, -1);
    }

    /** A promise is kept: what was kept for the job is now held by it. */
    void redeem(Allocation allocation, Demand demand) {
        change(Change.REDEEM, allocation, demand, 1);
    }

    private void change(Change change, Allocation allocation, Demand demand, int sign) {
        int i = 0;
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int node = allocation.node(k);
            int end = i + allocation.gpusOn(k);
            int free = nodeFree[node];
            int soon = nodeSoon[node];
            for (; i < end; i++) {
                int gpu = allocation.gpu(i);
                switch (change) {
                    case HOLD -> holdGpu(gpu, allocation.shared(), demand, sign);
                    case LEAVE -> leaving[gpu] += sign;
                    case PROMISE -> promised[gpu] = sign > 0;
                    case DEPART -> {
                        leaving[gpu]--;
                        holdGpu(gpu, allocation.shared(), demand, sign);
                    }
                    case REDEEM -> {
                        promised[gpu] = false;
                        holdGpu(gpu, allocation.shared(), demand, sign);
                    }
                }
                refresh(gpu, node);
            }
            changeHost(change, node, (long) sign * allocation.gpusOn(k), demand);
            reindex(node, free, soon);
        }
    }

    private void holdGpu(int gpu, boolean shared, Demand demand, int sign) {
        sharers[gpu] += sign;
        if (shared) {
            memoryUsed[gpu] += sign * demand.memoryOn(topology, gpu);
            milliUsed[gpu] += demand.gpuMilli() < 1000 ? sign * demand.gpuMilli() : 0;
        } else {
            exclusive[gpu] = sign > 0;
        }
    }

    private void changeHost(Change change, int node, long gpus, Demand demand) {
        if (change == Change.LEAVE || change == Change.DEPART) {
            cpuLeaving[node] += gpus * demand.cpuMilliPerGpu();
            memoryLeaving[node] += gpus * demand.memoryMibPerGpu();
        }
        if (change != Change.LEAVE && change != Change.REDEEM) {
            cpuFree[node] -= gpus * demand.cpuMilliPerGpu();
            memoryFree[node] -= gpus * demand.memoryMibPerGpu();
        }
    }

    /** A GPU of its own is down or up again; saying so twice changes nothing. */
    void gpuFault(int gpu, boolean down) {
        gpuDown[gpu] = down;
        checkFault(gpu);
    }

    /** A whole node is down or up again; its GPUs may have faults of their own beside. */
    void nodeFault(int node, boolean down) {
        nodeDown[node] = down;
        Node where = topology.node(node);
        for (int gpu = where.firstGpu(); gpu < where.firstGpu() + where.gpus(); gpu++) {
            checkFault(gpu);
        }
    }

    private void checkFault(int gpu) {
        int node = topology.nodeOf(gpu);
        int free = nodeFree[node];
        int soon = nodeSoon[node];
        boolean down = gpuDown[gpu] || nodeDown[node];
        typeFaulty[nodeType[node]] += (down ? 1 : 0) - (faulty[gpu] ? 1 : 0);
        faulty[gpu] = down;
        refresh(gpu, node);
        reindex(node, free, soon);
    }

    private void refresh(int gpu, int node) {
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
        if (was == OPEN || now == OPEN) {
            Bits.set(openBits, gpu, now == OPEN);
            typeOpen[nodeType[node]] += now == OPEN ? 1 : -1;
        }
        nodeSoon[node] += (now <= VACATING ? 1 : 0) - (was <= VACATING ? 1 : 0);
    }

    private byte statusOf(int gpu) {
        if (faulty[gpu] || promised[gpu]) {
            return TAKEN;
        }
        if (sharers[gpu] == 0) {
            return FREE;
        }
        if (leaving[gpu] == sharers[gpu]) {
            return VACATING;
        }
        return leaving[gpu] == 0 && !exclusive[gpu] ? OPEN : TAKEN;
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

    // ---- questions of the ring itself ----

    /** Whether a promised allocation can be started on: all its GPUs empty and healthy, its hosts with room. */
    boolean vacated(Allocation allocation) {
        for (int i = 0; i < allocation.size(); i++) {
            int gpu = allocation.gpu(i);
            if (sharers[gpu] > 0 || faulty[gpu]) {
                return false;
            }
        }
        return hostsHaveRoom(allocation);
    }

    boolean hostsHaveRoom(Allocation allocation) {
        for (int k = 0; k < allocation.nodeCount(); k++) {
            if (cpuFree[allocation.node(k)] < 0 || memoryFree[allocation.node(k)] < 0) {
                return false;
            }
        }
        return true;
    }

    boolean isFree(int gpu) {
        return status[gpu] == FREE;
    }

    boolean isPromised(int gpu) {
        return promised[gpu];
    }

    boolean isHealthy(int gpu) {
        return !faulty[gpu];
    }

    boolean nodeIsDown(int node) {
        return nodeDown[node];
    }

    /** Whether the GPU has a fault of its own, whatever its node has. */
    boolean gpuIsDown(int gpu) {
        return gpuDown[gpu];
    }

    int leaving(int gpu) {
        return leaving[gpu];
    }

    @Override
    public long cpuMilli(int node, Horizon horizon) {
        return cpuFree[node] + (horizon == Horizon.SOON ? cpuLeaving[node] : 0);
    }

    @Override
    public long memoryMib(int node, Horizon horizon) {
        return memoryFree[node] + (horizon == Horizon.SOON ? memoryLeaving[node] : 0);
    }

    /** GPUs free now plus GPUs free soon: grows when a GPU comes free, or will. */
    int openings() {
        return freeGpus + soonGpus;
    }

    int gpusUp() {
        int up = sharers.length;
        for (int down : typeFaulty) {
            up -= down;
        }
        return up;
    }

    int gpusUp(int type) {
        return topology.gpuCount(type) - typeFaulty[type];
    }

    // ---- the window policies look through ----

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public int available(int type, Horizon horizon) {
        return horizon == Horizon.NOW ? typeFree[type] : typeSoon[type];
    }

    @Override
    public int onNode(int node, Horizon horizon) {
        return horizon == Horizon.NOW ? nodeFree[node] : nodeSoon[node];
    }

    @Override
    public int inRack(int rack, int type, Horizon horizon) {
        return (horizon == Horizon.NOW ? rackFree : rackSoon)[rack][type];
    }

    @Override
    public int nextCount(int type, int atLeast, Horizon horizon) {
        return index(horizon).next(type, atLeast);
    }

    @Override
    public int previousCount(int type, int atMost, Horizon horizon) {
        return index(horizon).previous(type, atMost);
    }

    @Override
    public int nodeWith(int type, int count, int from, int end, Horizon horizon) {
        return index(horizon).node(type, count, from, end);
    }

    private CountIndex index(Horizon horizon) {
        return horizon == Horizon.NOW ? nodesByFree : nodesBySoon;
    }

    @Override
    public int hostRoom(int node, Demand demand, Horizon horizon) {
        long byCpu =
                demand.cpuMilliPerGpu() == 0 ? Integer.MAX_VALUE : cpuMilli(node, horizon) / demand.cpuMilliPerGpu();
        long byMemory =
                demand.memoryMibPerGpu() == 0 ? Integer.MAX_VALUE : memoryMib(node, horizon) / demand.memoryMibPerGpu();
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, Math.min(byCpu, byMemory)));
    }

    @Override
    public void pick(int node, int count, int[] out, int at, Horizon horizon) {
        Node where = topology.node(node);
        int end = where.firstGpu() + where.gpus();
        int n = pickFrom(freeBits, where.firstGpu(), end, out, at, at + count);
        if (horizon == Horizon.SOON && n < at + count) {
            n = pickFrom(vacatingBits, where.firstGpu(), end, out, n, at + count);
        }
        if (n < at + count) {
            throw new IllegalStateException("node " + node + " has fewer than " + count + " GPUs available");
        }
    }

    private static int pickFrom(long[] bits, int from, int end, int[] out, int at, int until) {
        int n = at;
        for (int gpu = Bits.next(bits, from, end); gpu >= 0 && n < until; gpu = Bits.next(bits, gpu + 1, end)) {
            out[n++] = gpu;
        }
        return n;
    }

    @Override
    public int sharers(int gpu) {
        return sharers[gpu];
    }

    @Override
    public boolean open(int gpu) {
        return status[gpu] == OPEN;
    }

    @Override
    public int nextOpen(int type, int from) {
        if (typeOpen[type] == 0) {
            return -1;
        }
        int gpu = Bits.next(openBits, from, status.length);
        while (gpu >= 0 && nodeType[topology.nodeOf(gpu)] != type) {
            gpu = Bits.next(openBits, gpu + 1, status.length);
        }
        return gpu;
    }

    @Override
    public int memoryLeftMib(int gpu) {
        return topology.types().get(topology.typeOf(gpu)).memoryMib() - memoryUsed[gpu];
    }

    @Override
    public int milliLeft(int gpu) {
        return 1000 - milliUsed[gpu];
    }
}
