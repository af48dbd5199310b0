package dev.fermata.live.engine;

import dev.fermata.core.model.Allocation;
import dev.fermata.live.spec.JobSpec;

/**
 * Everything an engine needs to know to start one attempt, or to find it again.
 *
 * @param resumed whether work of an earlier attempt was saved
 * @param savedWorkMillis reference-milliseconds of work that earlier attempts saved
 * @param ranMillis how long earlier attempts ran, for the time limit
 * @param arrayId the id of the array's first job, -1 for none
 */
public record Launch(
        long jobId,
        int attempt,
        boolean resumed,
        Allocation allocation,
        JobSpec spec,
        String user,
        long savedWorkMillis,
        long ranMillis,
        long arrayId) {}
