package dev.fermata.bench.measure;

import dev.fermata.live.spec.JobSpec;

/** Jobs in the order in which they are submitted. */
interface SubmittedJobs {
    /**
     * @param program jobs of one program have the same; empty where run times are not judged
     * @param durationMillis its true run time
     */
    record Submitted(String program, JobSpec spec, long durationMillis) {}

    Submitted next();

    /** GPU-milliseconds of the mean job. */
    double meanWork();
}
