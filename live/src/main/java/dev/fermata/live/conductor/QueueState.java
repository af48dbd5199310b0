package dev.fermata.live.conductor;

/** A queue now; {@code limitGpus} is -1 for none. Counts include the queues below it. */
public record QueueState(
        String path, int guaranteeGpus, int limitGpus, double weight, int usedGpus, int pendingJobs, int runningJobs) {}
