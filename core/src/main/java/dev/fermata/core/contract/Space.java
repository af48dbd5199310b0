package dev.fermata.core.contract;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Topology;

/** Read-only window on free capacity. Every question costs a few array reads, whatever the size of the cluster. */
public interface Space {
    Topology topology();

    /** Available GPUs of a type in the whole cluster. */
    int available(int type, Horizon horizon);

    /** Available GPUs on a node. */
    int onNode(int node, Horizon horizon);

    /** Available GPUs of a type in a rack. */
    int inRack(int rack, int type, Horizon horizon);

    /** The smallest count of at least {@code atLeast} that some node of the type has available, or -1. */
    int nextCount(int type, int atLeast, Horizon horizon);

    /** The largest count of at most {@code atMost} that some node of the type has available, or -1. */
    int previousCount(int type, int atMost, Horizon horizon);

    /** The first node at or after {@code from} and before {@code end} with exactly this many available GPUs, or -1. */
    int nodeWith(int type, int count, int from, int end, Horizon horizon);

    /** How many GPUs of this demand the CPU and RAM of a node could serve beside what runs there. */
    int hostRoom(int node, Demand demand, Horizon horizon);

    /** CPU of a node that nobody holds, in thousandths; a node that states none has {@code Node.UNLIMITED} to begin with. */
    long cpuMilli(int node, Horizon horizon);

    /** RAM of a node that nobody holds. */
    long memoryMib(int node, Horizon horizon);

    /** Copies {@code count} available GPU numbers of a node into {@code out} from {@code at}; free ones first. */
    void pick(int node, int count, int[] out, int at, Horizon horizon);

    /** Jobs on a GPU. */
    int sharers(int gpu);

    /** Whether the jobs on this GPU let others beside them, and none is leaving. */
    boolean open(int gpu);

    /** The first open GPU of a type at or after {@code from}, or -1. */
    int nextOpen(int type, int from);

    int memoryLeftMib(int gpu);

    /** What those who asked for a part of this GPU leave of it, in thousandths. */
    int milliLeft(int gpu);
}
