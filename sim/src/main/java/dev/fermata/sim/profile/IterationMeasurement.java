package dev.fermata.sim.profile;

/**
 * One measured iteration on one GPU.
 *
 * @param busyShare share of it in which the GPU works, 0 where it was not measured
 * @param memoryMib GPU memory in use, 0 where it was not measured
 * @param source of the measurement: {@code H200} is our own
 */
public record IterationMeasurement(
        String gpu, int batch, double iterationMillis, double busyShare, int memoryMib, String source) {}
