package dev.fermata.core.measure;

/**
 * All measures of one history.
 *
 * @param failed jobs that ended in any other way than completion
 */
public record MetricsSummary(
        JobStatistics all,
        JobStatistics trial,
        JobStatistics batch,
        int failed,
        ClusterUse clusterUse,
        Interruptions interruptions) {
    /**
     * How well the cluster was used.
     *
     * @param gpuUtilization share of GPU-time, from first submission to last end, in which a GPU had a job making progress
     * @param fragmentation of the GPU-time that was free, the share on nodes that were partly in use; 0 on a single node
     * @param communicationShare of the GPU-time spent running, the share spent waiting for the network
     */
    public record ClusterUse(
            double makespanSeconds,
            double gpuUtilization,
            double fragmentation,
            double communicationShare,
            GpuTime gpuTime) {}

    /** How often jobs were stopped before their end. */
    public record Interruptions(long preemptions, int preemptedJobs, int oomFailures) {}

    public double makespanSeconds() {
        return clusterUse.makespanSeconds();
    }

    public double gpuUtilization() {
        return clusterUse.gpuUtilization();
    }

    public double fragmentation() {
        return clusterUse.fragmentation();
    }

    public double communicationShare() {
        return clusterUse.communicationShare();
    }

    public GpuTime gpuTime() {
        return clusterUse.gpuTime();
    }

    public long preemptions() {
        return interruptions.preemptions();
    }

    public int preemptedJobs() {
        return interruptions.preemptedJobs();
    }

    public int oomFailures() {
        return interruptions.oomFailures();
    }
}
