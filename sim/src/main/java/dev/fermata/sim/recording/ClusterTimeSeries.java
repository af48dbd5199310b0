package dev.fermata.sim.recording;

import java.util.List;

/**
 * The cluster over time, as means over buckets of one width; the last bucket may be cut short by the end.
 *
 * @param busyGpus GPUs with a job that makes progress
 * @param freeGpus GPUs that are up and hold no job
 * @param strandedGpus free GPUs on nodes that are partly in use
 * @param waitingGpus GPUs that the pending jobs request
 */
public record ClusterTimeSeries(
        long beginMillis,
        long endMillis,
        long bucketMillis,
        int gpus,
        boolean singleNode,
        List<Double> busyGpus,
        List<Double> freeGpus,
        List<Double> strandedGpus,
        List<Double> waitingJobs,
        List<Double> waitingGpus) {

    public int size() {
        return busyGpus.size();
    }

    public long fromMillis(int bucket) {
        return beginMillis + bucket * bucketMillis;
    }

    public long toMillis(int bucket) {
        return Math.min(endMillis, fromMillis(bucket + 1));
    }

    /** Share of all GPUs that were busy. */
    public double utilization(int bucket) {
        return busyGpus.get(bucket) / gpus;
    }

    /** Of the free GPUs, the share on nodes partly in use; 0 where none is free or there is one node only. */
    public double fragmentation(int bucket) {
        double free = freeGpus.get(bucket);
        return singleNode || free <= 0 ? 0 : Math.min(1, strandedGpus.get(bucket) / free);
    }
}
