package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;

/**
 * What-if on top of the cluster state: try starts and evictions, look at the space they leave, roll back to a mark. Nothing
 * done here lasts beyond the decision.
 */
public interface Draft {
    FreeCapacity capacity();

    int mark();

    void rollback(int mark);

    /** The job takes these GPUs, which may include ones that are being vacated. */
    void allocate(JobView job, Allocation allocation);

    /** A running job is to leave: its GPUs become available {@link Horizon#SOON}. */
    void evict(JobView victim);

    /** Takes the last eviction of this job back, whatever was done after it: as if the job had never been evicted. */
    void keep(JobView victim);
}
