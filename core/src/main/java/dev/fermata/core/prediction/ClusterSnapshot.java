package dev.fermata.core.prediction;

import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Map;

/**
 * The cluster at one moment: the cluster state and the estimates of its jobs. The scheduler loop's thread builds it,
 * other threads read it.
 *
 * @param policyMemory the memory of the policy, which the scheduler snapshot does not contain
 * @param estimates by job id, for all jobs of the scheduler snapshot and all hypothetical jobs
 * @param hypotheticalJobs jobs that were never submitted; they are treated as submitted at {@code nowMillis}
 * @param recentArrivals jobs that arrived recently, live or not: similar ones may follow
 */
public record ClusterSnapshot(
        Topology topology,
        PolicySpec policy,
        SchedulerSnapshot scheduler,
        PolicyMemory policyMemory,
        Map<Long, WorkEstimate> estimates,
        List<Job> hypotheticalJobs,
        List<RecentArrival> recentArrivals,
        long nowMillis) {
    /** A job that arrived {@code ageMillis} ago, with the estimate for a new job like it. */
    public record RecentArrival(Job job, WorkEstimate estimate, long ageMillis) {}

    public ClusterSnapshot {
        hypotheticalJobs = List.copyOf(hypotheticalJobs);
        recentArrivals = List.copyOf(recentArrivals);
    }

    /** The same, expecting no further jobs. */
    public ClusterSnapshot withoutArrivals() {
        return new ClusterSnapshot(
                topology, policy, scheduler, policyMemory, estimates, hypotheticalJobs, List.of(), nowMillis);
    }

    /** Throws when a job has no estimate, or one that contradicts itself. */
    public void check() {
        scheduler.jobs().forEach(jobSnapshot -> check(jobSnapshot.job()));
        hypotheticalJobs.forEach(this::check);
        estimates.values().forEach(WorkEstimate::check);
        recentArrivals.forEach(arrival -> arrival.estimate.check());
    }

    private void check(Job job) {
        if (!estimates.containsKey(job.id())) {
            throw new IllegalArgumentException("no estimate for job " + job.id() + " (" + job.name() + ")");
        }
    }
}
