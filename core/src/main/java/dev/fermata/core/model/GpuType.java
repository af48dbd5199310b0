package dev.fermata.core.model;

/**
 * One type of GPU. {@code speed} is training throughput relative to the reference GPU (1.0), used for every model whose
 * profile names no speed of its own for this type.
 */
public record GpuType(String name, int memoryMib, double speed) {
    public GpuType {
        Require.that(!name.isBlank(), "gpu type name must not be blank");
        Require.that(memoryMib > 0, "memory (%s MiB) of gpu type (%s) must be positive", memoryMib, name);
        Require.that(speed > 0 && Double.isFinite(speed), "speed (%s) of gpu type (%s) must be positive", speed, name);
    }
}
