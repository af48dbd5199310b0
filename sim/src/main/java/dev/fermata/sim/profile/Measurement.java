package dev.fermata.sim.profile;

/**
 * One iteration on one GPU, as somebody measured it.
 *
 * @param busyShare share of it in which the GPU works, 0 where nobody looked
 * @param memoryMib GPU memory in use, 0 where nobody looked
 * @param source who measured it: {@code H200} is us
 */
public record Measurement(
        String gpu, int batch, double iterationMillis, double busyShare, int memoryMib, String source) {}
