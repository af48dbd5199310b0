package dev.fermata.live.state;

/** The current use of a queue, including the queues below it; {@code limitGpus} is -1 for no limit. */
public record QueueState(
        String path, int guaranteeGpus, int limitGpus, double weight, int usedGpus, int pendingJobs, int runningJobs) {}
