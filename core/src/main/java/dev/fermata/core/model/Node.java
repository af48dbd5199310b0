package dev.fermata.core.model;

/**
 * One machine. Its GPUs are numbered {@code firstGpu .. firstGpu + gpus - 1} in the topology; all are of one type.
 * CPUs are in thousandths, so that fractions of a core stay whole numbers.
 */
public record Node(int index, String name, int rack, int type, int firstGpu, int gpus, long cpuMilli, long memoryMib) {
    /** CPU or RAM of a node that states none: never the reason a job does not fit. */
    public static final long UNLIMITED = Long.MAX_VALUE / 4;

    public Node {
        Require.that(gpus > 0, "gpus (%s) of node (%s) must be positive", gpus, name);
        Require.that(cpuMilli >= 0, "cpus of node (%s) must not be negative", name);
        Require.that(memoryMib >= 0, "memory of node (%s) must not be negative", name);
    }
}
