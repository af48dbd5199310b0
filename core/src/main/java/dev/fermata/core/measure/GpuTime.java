package dev.fermata.core.measure;

/**
 * Where the GPU-time went, in GPU-milliseconds. {@code held} is counted from start and departure times, the rest from
 * what the engine reported; {@link #conserved} says that they agree exactly.
 */
public record GpuTime(long held, long useful, long overhead, long lost, long communication) {
    public boolean conserved() {
        return held == useful + overhead + lost;
    }
}
