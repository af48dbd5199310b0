package dev.fermata.engine.slurm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All jobs of Slurm at one moment.
 *
 * @param beganMillis when the reading began: a job that Slurm accepted before is in it
 */
record JobListing(long beganMillis, Map<Long, SlurmJob> byId) {
    static final JobListing NONE = new JobListing(-1, Map.of());

    static JobListing of(long beganMillis, List<SlurmJob> jobs) {
        Map<Long, SlurmJob> byId = new LinkedHashMap<>();
        jobs.forEach(job -> byId.put(job.id(), job));
        return new JobListing(beganMillis, byId);
    }

    /** What is left for jobs that use CPUs and RAM alone. */
    JobListing withoutGpuJobs() {
        return of(
                beganMillis,
                byId.values().stream().filter(job -> job.request().gpus() == 0).toList());
    }

    @Nullable
    SlurmJob find(long id) {
        return byId.get(id);
    }

    /** The first job that was submitted for an attempt; of another account only where jobs run as their users. */
    @Nullable
    SlurmJob find(String marker, String account) {
        for (SlurmJob job : byId.values()) {
            if (job.comment().equals(marker) && job.user().equals(account)) {
                return job;
            }
        }
        return null;
    }
}
