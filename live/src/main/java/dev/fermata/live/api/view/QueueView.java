package dev.fermata.live.api.view;

import org.jspecify.annotations.Nullable;

/** A queue and its usage; counts include the queues below it. {@code limitGpus} is absent for none. */
public record QueueView(
        String path,
        int guaranteeGpus,
        @Nullable Integer limitGpus,
        double weight,
        int usedGpus,
        int pendingJobs,
        int runningJobs) {}
