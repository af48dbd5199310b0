package dev.fermata.core.contract;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Topology;

/** Read-only view of free capacity. Every query costs a few array reads, whatever the size of the cluster. */
public interface FreeCapacity {
    Topology topology();

    /** Available GPUs of a type in the whole cluster. */
    int available(int type, Horizon horizon);

    /** Available GPUs on a node. */
    int availableOnNode(int node, Horizon horizon);

    /** Available GPUs of a type in a rack. */
    int availableInRack(int rack, int type, Horizon horizon);

    /** The smallest count of at least {@code atLeast} that some node of the type has available, or -1. */
    int nextAvailableCount(int type, int atLeast, Horizon horizon);

    /** The largest count of at most {@code atMost} that some node of the type has available, or -1. */
    int previousAvailableCount(int type, int atMost, Horizon horizon);

    /** The first node at or after {@code from} and before {@code end} with exactly this many available GPUs, or -1. */
    int nodeWithAvailable(int type, int count, int from, int end, Horizon horizon);

    /** How many GPUs of this demand the free CPU and RAM of a node could serve. */
    int hostCapacityFor(int node, Demand demand, Horizon horizon);

    /** Free CPU of a node, in thousandths; a node that declares none begins with {@code Node.UNLIMITED}. */
    long availableCpuMilli(int node, Horizon horizon);

    /** Free RAM of a node. */
    long availableMemoryMib(int node, Horizon horizon);

    /** Copies {@code count} available GPU numbers of a node into {@code out} from {@code at}; free ones first. */
    void pickGpus(int node, int count, int[] out, int at, Horizon horizon);

    /** Whether attempts may start on a GPU once it is free: it is neither down nor drained. */
    boolean isSchedulable(int gpu);

    /** Jobs on a GPU. */
    int jobsOn(int gpu);

    /** Whether the jobs on this GPU may be co-located with others, and none is leaving. */
    boolean isShareable(int gpu);

    /** The first open GPU of a type at or after {@code from}, or -1. */
    int nextShareable(int type, int from);

    int freeGpuMemoryMib(int gpu);

    /** What jobs with a fractional demand leave of this GPU, in thousandths. */
    int freeGpuMilli(int gpu);
}
