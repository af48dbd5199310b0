package dev.fermata.sim.trace.openb;

import java.util.List;

/**
 * A pod as the list of pods has it, with a GPU or without.
 *
 * @param gpuMilli share of each of its GPUs in thousandths; 0 where it has none
 * @param gpuTypes the types it accepts, empty for any
 * @param scheduledSeconds −1 for a pod that never was scheduled
 * @param deletedSeconds −1 for a pod that was not deleted
 */
public record Pod(
        String name,
        long cpuMilli,
        long memoryMib,
        int gpus,
        int gpuMilli,
        List<String> gpuTypes,
        String qos,
        double createdSeconds,
        double scheduledSeconds,
        double deletedSeconds) {}
