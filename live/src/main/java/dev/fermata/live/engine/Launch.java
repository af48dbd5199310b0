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
 * @param promisedMib memory of each GPU that it may use while others may be beside it; 0 when its GPUs are its own
 * @param loadsMillis how long such jobs load at most, where their scripts say when they have; 0 where none was seen to
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
        long arrayId,
        int promisedMib,
        long loadsMillis) {

    /** How many processes are started: what the job asked for, or one on each GPU it got. */
    public int ranks() {
        return Math.max(1, spec.ranks() == JobSpec.RANK_PER_GPU ? allocation.size() : spec.ranks());
    }

    /** RAM of the whole attempt: it is asked for beside each GPU; 0 for no demand. */
    public long memoryMib() {
        return spec.memoryMib() * allocation.size();
    }

    /** Thousandths of CPUs of the whole attempt; 0 for no demand. */
    public long cpuMilli() {
        return spec.cpuMilli() * allocation.size();
    }
}
