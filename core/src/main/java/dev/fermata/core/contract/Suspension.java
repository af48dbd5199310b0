package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;

/**
 * Where the processes of a pending job are suspended. They hold host memory of these nodes and no GPU.
 *
 * @param process the attempt that started the processes: the attempts that resume them have other numbers
 * @param gpus the GPUs that they left
 * @param memoryMibPerGpu host memory that they hold for each of these GPUs
 * @param savedWorkMillis reference-milliseconds of work that are left should the processes be lost
 */
public record Suspension(int process, Allocation gpus, long memoryMibPerGpu, long savedWorkMillis) {}
