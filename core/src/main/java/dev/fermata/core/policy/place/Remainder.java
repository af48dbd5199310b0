package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Node;
import java.util.Arrays;
import java.util.List;

/**
 * What is left of a node: so many empty GPUs, parts of others in thousandths, CPU and RAM. Equal if it is the same that is
 * left, whichever node and GPUs it is left on.
 */
record Remainder(int type, int free, List<Integer> parts, long cpuMilli, long memoryMib) {
    private static final int WHOLE = 1000;

    static Remainder of(Space space, Node node, Horizon horizon) {
        int[] parts = new int[node.gpus()];
        int open = 0;
        for (int gpu = node.firstGpu(); gpu < node.firstGpu() + node.gpus(); gpu++) {
            if (space.open(gpu) && space.milliLeft(gpu) > 0) {
                parts[open++] = space.milliLeft(gpu);
            }
        }
        return new Remainder(
                node.type(),
                space.onNode(node.index(), horizon),
                sorted(parts, open),
                space.cpuMilli(node.index(), horizon),
                space.memoryMib(node.index(), horizon));
    }

    private static List<Integer> sorted(int[] parts, int count) {
        Arrays.sort(parts, 0, count);
        Integer[] boxed = new Integer[count];
        Arrays.setAll(boxed, i -> parts[i]);
        return List.of(boxed);
    }

    /** After so many empty GPUs are taken whole. */
    Remainder without(int gpus, long cpu, long memory) {
        return new Remainder(type, free - gpus, parts, cpuMilli - cpu, memoryMib - memory);
    }

    /** After a part of a GPU is taken of which this much is left; 1000 is an empty one. */
    Remainder without(int milli, int of, long cpu, long memory) {
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
        return new Remainder(
                type, of == WHOLE ? free - 1 : free, sorted(after, count), cpuMilli - cpu, memoryMib - memory);
    }

    /**
     * Thousandths of GPUs that are free and yet of no use to a job of this shape: all of them if the node cannot serve it,
     * else those on GPUs of which too little is left.
     */
    long uselessTo(TaskMix.Shape shape) {
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
    double uselessTo(List<TaskMix.Usual> mix) {
        double sum = 0;
        for (TaskMix.Usual usual : mix) {
            sum += usual.share() * uselessTo(usual.shape());
        }
        return sum;
    }
}
