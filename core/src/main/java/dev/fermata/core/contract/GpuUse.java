package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The jobs, the reservation and the health of every GPU, as the cluster state has them. */
public interface GpuUse {
    /** The jobs that hold this GPU, in the order of their starts. */
    List<JobView> jobsOn(int gpu);

    /** The pending job that this GPU is reserved for. */
    @Nullable
    JobView reservedFor(int gpu);

    /** The ids of the other jobs on these GPUs. */
    Set<Long> neighbours(long job, Allocation allocation);

    /** Whether it is neither missing nor down, nor on a node that is. */
    boolean isUp(int gpu);

    boolean isNodeDown(int node);

    boolean isDrained(int node);

    /** Why the node is drained, {@link DrainNote#NONE} where it is not. */
    DrainNote drainNote(int node);

    boolean isUnreachable(int node);

    /** Whether no attempt starts there for now, because several in a row failed. */
    boolean isExcluded(int node);

    /** What others use of the node. */
    ForeignLoad foreignLoad(int node);
}
