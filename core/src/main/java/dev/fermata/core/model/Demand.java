package dev.fermata.core.model;

import java.util.List;

/**
 * What a job requests. {@code minGpus == maxGpus} is a gang of fixed size; otherwise the scheduler may pick any size in
 * between at each start. CPU and RAM are per GPU and are taken on the node where that GPU is.
 *
 * @param gpuMemoryMib peak memory per device, 0 when unknown: such a job shares a GPU only if it requests a part of one,
 *     and is then held to that part of its memory
 * @param gpuMilli share of each GPU's compute in thousandths; 1000 is a whole GPU
 * @param gpuTypes names of allowed types in any order; empty allows every type
 * @param splitsBatch whether it splits each batch by the speed of its GPUs: only then may they be of several types
 */
public record Demand(
        int minGpus,
        int maxGpus,
        int gpuMemoryMib,
        int gpuMilli,
        List<String> gpuTypes,
        long cpuMilliPerGpu,
        long memoryMibPerGpu,
        boolean splitsBatch) {
    public Demand {
        Require.that(minGpus > 0, "gpus (%s) must be positive", minGpus);
        Require.that(maxGpus >= minGpus, "max gpus (%s) must not be below min gpus (%s)", maxGpus, minGpus);
        Require.that(gpuMemoryMib >= 0, "gpu memory (%s MiB) must not be negative", gpuMemoryMib);
        Require.that(gpuMilli > 0 && gpuMilli <= 1000, "gpu share (%s/1000) must be in 1..1000", gpuMilli);
        Require.that(cpuMilliPerGpu >= 0, "cpus must not be negative");
        Require.that(memoryMibPerGpu >= 0, "memory must not be negative");
        gpuTypes = List.copyOf(gpuTypes);
    }

    /** Of a job that does not split its batch. */
    public Demand(
            int minGpus,
            int maxGpus,
            int gpuMemoryMib,
            int gpuMilli,
            List<String> gpuTypes,
            long cpuMilliPerGpu,
            long memoryMibPerGpu) {
        this(minGpus, maxGpus, gpuMemoryMib, gpuMilli, gpuTypes, cpuMilliPerGpu, memoryMibPerGpu, false);
    }

    public static Demand gpus(int count) {
        return new Demand(count, count, 0, 1000, List.of(), 0, 0);
    }

    /** The same with another peak memory per device; 0 for unknown. */
    public Demand withGpuMemory(int mib) {
        return new Demand(minGpus, maxGpus, mib, gpuMilli, gpuTypes, cpuMilliPerGpu, memoryMibPerGpu, splitsBatch);
    }

    /** The same for a job that splits its batch, or does not. */
    public Demand withSplitBatch(boolean splits) {
        return new Demand(minGpus, maxGpus, gpuMemoryMib, gpuMilli, gpuTypes, cpuMilliPerGpu, memoryMibPerGpu, splits);
    }

    /** Whether it requests less than whole GPUs. */
    public boolean isFractional() {
        return gpuMilli < 1000;
    }

    /** Memory it holds on a shared GPU of this type: what it states, else the part of the GPU it requests, else unknown (0). */
    public int gpuMemoryOn(GpuType type) {
        if (gpuMemoryMib > 0 || !isFractional()) {
            return gpuMemoryMib;
        }
        return (int) ((long) type.memoryMib() * gpuMilli / 1000);
    }

    /** The same on a GPU of a cluster. */
    public int gpuMemoryOn(Topology topology, int gpu) {
        boolean alikeOnAllTypes = gpuMemoryMib > 0 || !isFractional();
        return alikeOnAllTypes ? gpuMemoryMib : gpuMemoryOn(topology.types().get(topology.typeOf(gpu)));
    }

    /** How many GPUs of this demand an empty node can serve: its GPUs, within its CPU and RAM. */
    public int maxGpusOn(Node node) {
        int gpus = node.presentGpus();
        long byCpu = cpuMilliPerGpu == 0 ? gpus : node.cpuMilli() / cpuMilliPerGpu;
        long byMemory = memoryMibPerGpu == 0 ? gpus : node.memoryMib() / memoryMibPerGpu;
        return (int) Math.min(gpus, Math.min(byCpu, byMemory));
    }

    /** Whether CPU or RAM can be what keeps it from a node. */
    public boolean needsHostResources() {
        return cpuMilliPerGpu > 0 || memoryMibPerGpu > 0;
    }

    /** Bit mask of the types of a cluster that this demand may run on: allowed by name and large enough. */
    public long eligibleTypes(Topology topology) {
        long mask = 0;
        for (int t = 0; t < topology.types().size(); t++) {
            GpuType type = topology.types().get(t);
            boolean allowed = gpuTypes.isEmpty() || gpuTypes.stream().anyMatch(type.name()::equalsIgnoreCase);
            if (allowed && gpuMemoryMib <= type.memoryMib()) {
                mask |= 1L << t;
            }
        }
        return mask;
    }
}
