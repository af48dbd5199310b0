package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One machine. {@code cpus} and {@code memoryMib} are absent where nothing is known of them.
 *
 * @param gpuMemoryMib of each of its GPUs
 * @param gpuSpeed training throughput relative to the reference GPU, where no model was measured on it
 */
public record NodeView(
        int node,
        String name,
        String rack,
        String type,
        boolean up,
        boolean drained,
        @Nullable Double cpus,
        @Nullable Long memoryMib,
        int gpuMemoryMib,
        double gpuSpeed,
        List<Gpu> gpus) {
    /** One GPU, the jobs on it, and the job it is promised to. */
    public record Gpu(
            int gpu,
            boolean up,
            boolean drained,
            List<Long> jobs,
            @Nullable Long promisedTo) {}
}
