package dev.fermata.core.model;

/**
 * One machine. Its GPUs are numbered {@code firstGpu .. firstGpu + gpus - 1} in the topology; all are of one type.
 * CPUs are in thousandths, so that fractions of a core stay whole numbers.
 *
 * @param gpus how many GPUs have a number here, also those that are missing
 */
public record Node(
        int index, String name, int rack, int type, int firstGpu, int gpus, Host host, NodeInventory inventory) {
    /**
     * Its CPUs, in thousandths, and its RAM.
     *
     * @param suspendMemoryMib how much of the RAM suspended jobs may hold
     */
    public record Host(long cpuMilli, long memoryMib, long suspendMemoryMib) {
        /** Without a limit of its own for suspended jobs. */
        public Host(long cpuMilli, long memoryMib) {
            this(cpuMilli, memoryMib, memoryMib);
        }
    }

    /** CPU or RAM of a node that states none: never the reason a job does not fit. */
    public static final long UNLIMITED = Long.MAX_VALUE / 4;

    public Node {
        Require.that(gpus > 0, "gpus (%s) of node (%s) must be positive", gpus, name);
        Require.that(host.cpuMilli >= 0, "cpus of node (%s) must not be negative", name);
        Require.that(host.memoryMib >= 0, "memory of node (%s) must not be negative", name);
        Require.that(host.suspendMemoryMib >= 0, "memory for suspended jobs of node (%s) must not be negative", name);
        int ids = inventory.gpuIds().size();
        Require.that(ids == 0 || ids == gpus, "node (%s) has %s GPUs and %s GPU ids", name, gpus, ids);
        for (int position : inventory.missing()) {
            Require.that(position >= 0 && position < gpus, "GPU (%s) of node (%s) does not exist", position, name);
        }
    }

    /** A node that is known by its name. */
    public Node(int index, String name, int rack, int type, int firstGpu, int gpus, long cpuMilli, long memoryMib) {
        this(index, name, rack, type, firstGpu, gpus, new Host(cpuMilli, memoryMib), NodeInventory.of(name));
    }

    public long cpuMilli() {
        return host.cpuMilli;
    }

    public long memoryMib() {
        return host.memoryMib;
    }

    /** How much of its RAM suspended jobs may hold. */
    public long suspendMemoryMib() {
        return host.suspendMemoryMib;
    }

    public String id() {
        return inventory.id();
    }

    /** The number after its last GPU. */
    public int endGpu() {
        return firstGpu + gpus;
    }

    /** Whether another node has the same numbers, type and rack, so that nothing but what it says of itself differs. */
    public boolean hasFormOf(Node other) {
        return index == other.index
                && rack == other.rack
                && type == other.type
                && firstGpu == other.firstGpu
                && gpus == other.gpus;
    }

    public int presentGpus() {
        return gpus - inventory.missing().size();
    }
}
