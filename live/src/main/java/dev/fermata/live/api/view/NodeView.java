package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One machine. {@code cpus} and {@code memoryMib} are absent where nothing is known of them. */
public record NodeView(
        int node,
        String name,
        String rack,
        String type,
        boolean up,
        boolean drained,
        @Nullable Double cpus,
        @Nullable Long memoryMib,
        List<Gpu> gpus) {
    /** One GPU, the jobs on it, and the job it is promised to. */
    public record Gpu(
            int gpu,
            boolean up,
            boolean drained,
            List<Long> jobs,
            @Nullable Long promisedTo) {}
}
