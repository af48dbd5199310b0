package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node, one flat JSON object.
 *
 * @param id stays the same whatever the node is named or numbered
 */
public record NodeView(
        int node,
        String id,
        String name,
        String rack,
        String type,
        @JsonUnwrapped NodeStateView state,
        @JsonUnwrapped NodeCapacityView capacity,
        List<GpuView> gpus) {
    /**
     * Whether it takes jobs.
     *
     * @param unreachable nothing is heard of it: its jobs count as running, nothing starts there
     * @param excluded nothing starts there for some minutes, because starts failed
     * @param drainReason why it is drained, where a reason was given
     * @param foreign what others use of it; absent where they use nothing
     */
    public record NodeStateView(
            boolean up,
            boolean drained,
            boolean unreachable,
            boolean excluded,
            @Nullable String drainReason,
            @Nullable String drainedBy,
            @Nullable ForeignLoadView foreign) {}

    /** GPUs, by number, CPUs and RAM that others use. */
    public record ForeignLoadView(List<Integer> gpus, double cpus, long memoryMib) {}

    /**
     * What the node has; {@code cpus} and {@code memoryMib} are absent where they are unknown.
     *
     * @param gpuMemoryMib of each of its GPUs
     * @param gpuSpeed training throughput relative to the reference GPU, for models that were not measured on it
     */
    public record NodeCapacityView(
            @Nullable Double cpus, @Nullable Long memoryMib, int gpuMemoryMib, double gpuSpeed) {}

    /**
     * One GPU, the jobs on it, and the job it is reserved for.
     *
     * @param gpu its number in the history, which no other GPU gets
     * @param id its UUID, where it has one
     * @param missing whether the device is gone
     */
    public record GpuView(
            int gpu,
            String id,
            boolean missing,
            boolean up,
            boolean drained,
            List<Long> jobs,
            @Nullable Long reservedFor) {}
}
