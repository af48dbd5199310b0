package dev.fermata.core.measure;

/**
 * Where the GPU-time went, in GPU-milliseconds. {@code held} is counted from start and departure times, the rest from
 * what the engine reported; {@link #isConserved} checks that they agree exactly.
 */
public record GpuTime(long held, long useful, long overhead, long lost, long communication) {
    public boolean isConserved() {
        return held == useful + overhead + lost;
    }
}
