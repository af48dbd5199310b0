package dev.fermata.core.measure;

/**
 * All measures of one history.
 *
 * @param failed jobs that ended in any other way than completion
 * @param gpuUtilization share of GPU-time, from first submission to last end, in which a GPU had a job making progress
 * @param fragmentation of the GPU-time that was free, the share on nodes that were partly in use; 0 on a single node
 * @param communicationShare of the GPU-time spent running, the share spent waiting for the network
 */
public record Summary(
        JobStatistics all,
        JobStatistics trial,
        JobStatistics batch,
        int failed,
        double makespanSeconds,
        double gpuUtilization,
        double fragmentation,
        double communicationShare,
        long preemptions,
        int preemptedJobs,
        int oomFailures,
        GpuTime gpuTime) {}
