package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Node;
import java.util.Arrays;
import java.util.List;

/**
 * What is left of a node: empty GPUs, parts of others in thousandths, CPU and RAM. Equal if it is the same that is
 * left, whichever node and GPUs it is left on.
 */
record NodeRemainder(int type, int free, List<Integer> parts, long cpuMilli, long memoryMib) {
    private static final int WHOLE = 1000;

    static NodeRemainder of(FreeCapacity capacity, Node node, Horizon horizon) {
        int[] parts = new int[node.gpus()];
        int open = 0;
        for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
            if (capacity.isShareable(gpu) && capacity.freeGpuMilli(gpu) > 0) {
                parts[open++] = capacity.freeGpuMilli(gpu);
            }
        }
        return new NodeRemainder(
                node.type(),
                capacity.availableOnNode(node.index(), horizon),
                sorted(parts, open),
                capacity.availableCpuMilli(node.index(), horizon),
                capacity.availableMemoryMib(node.index(), horizon));
    }

    private static List<Integer> sorted(int[] parts, int count) {
        Arrays.sort(parts, 0, count);
        Integer[] boxed = new Integer[count];
        Arrays.setAll(boxed, i -> parts[i]);
        return List.of(boxed);
    }

    /** After this many empty GPUs are taken whole. */
    NodeRemainder without(int gpus, long cpu, long memory) {
        return new NodeRemainder(type, free - gpus, parts, cpuMilli - cpu, memoryMib - memory);
    }

    /** After a part of a GPU is taken, with this much left; 1000 is an empty GPU. */
    NodeRemainder without(int milli, int of, long cpu, long memory) {
        int[] after = new int[parts.size() + 1];
        int count = 0;
        boolean found = of == WHOLE;
        for (int part : parts) {
            if (!found && part == of) {
                found = true;
            } else {
                after[count++] = part;
            }
        }
        if (of > milli) {
            after[count++] = of - milli;
        }
        return new NodeRemainder(
                type, of == WHOLE ? free - 1 : free, sorted(after, count), cpuMilli - cpu, memoryMib - memory);
    }

    /**
     * Thousandths of GPUs that are free and yet of no use to a job of this shape. These are all of them if the node
     * cannot serve it, else those on GPUs with too little left.
     */
    long unusableFor(TaskMix.TaskShape shape) {
        int serving = free;
        long small = 0;
        long large = (long) free * WHOLE;
        for (int part : parts) {
            if (part >= shape.milli()) {
                serving++;
                large += part;
            } else {
                small += part;
            }
        }
        boolean serves = serving >= shape.gpus()
                && cpuMilli >= shape.cpuMilli()
                && memoryMib >= shape.memoryMib()
                && (shape.types() >> type & 1) != 0;
        return serves ? small : small + large;
    }

    /** The same for a job drawn from the mix, on average: what Weng et al. call a node's fragmentation. */
    double unusableFor(List<TaskMix.CommonShape> mix) {
        double sum = 0;
        for (TaskMix.CommonShape common : mix) {
            sum += common.share() * unusableFor(common.shape());
        }
        return sum;
    }
}
