package dev.fermata.live.service;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.history.RemainingTime;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.loop.RecentArrivals;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.loop.SchedulingCycle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Builds cluster snapshots for other threads. It runs only on the scheduler loop's thread and changes no state. */
final class ClusterSnapshotBuilder {
    /** An id that no job has. */
    private static final long NO_JOB = Long.MAX_VALUE;

    private final SchedulerLoop loop;

    ClusterSnapshotBuilder(SchedulerLoop loop) {
        this.loop = loop;
    }

    ClusterSnapshot build(List<Job> hypotheticalJobs) {
        SchedulingCycle cycle = loop.cycle();
        long now = loop.nowMillis();
        SchedulerSnapshot snapshot = cycle.scheduler.snapshot();
        Map<Long, WorkEstimate> estimates = new HashMap<>(2 * snapshot.jobs().size());
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : snapshot.jobs()) {
            long id = jobSnapshot.job().id();
            estimates.put(id, estimate(cycle.estimator, Objects.requireNonNull(cycle.scheduler.job(id)), now));
        }
        for (Job job : hypotheticalJobs) {
            estimates.put(job.id(), estimateHypothetical(job, cycle, now));
        }
        List<ClusterSnapshot.RecentArrival> recent = new ArrayList<>();
        for (RecentArrivals.ArrivedJob arrival : cycle.recentArrivals.latest()) {
            Job like = arrival.job().withId(NO_JOB);
            recent.add(new ClusterSnapshot.RecentArrival(
                    like, estimateHypothetical(like, cycle, now), now - arrival.atMillis()));
        }
        return new ClusterSnapshot(
                cycle.topology(),
                loop.policy,
                snapshot,
                cycle.scheduler.policyMemory(),
                estimates,
                hypotheticalJobs,
                recent,
                now);
    }

    /** Estimates a job that does not exist. The estimator then forgets it, because another job may get its id. */
    private WorkEstimate estimateHypothetical(Job job, SchedulingCycle cycle, long now) {
        WorkEstimate estimate = estimate(cycle.estimator, new PastJob(job, JobState.PENDING, now, 0, 0), now);
        cycle.estimator.observe(new PastJob(job, JobState.CANCELLED, now, 0, 0), now);
        return estimate;
    }

    private WorkEstimate estimate(RemainingTimeEstimator estimator, JobView job, long now) {
        RemainingTime remaining = estimator.remaining(job, now);
        return new WorkEstimate(
                job.doneWorkMillis(now),
                remaining.p50Millis(),
                remaining.p10Millis(),
                remaining.p90Millis(),
                estimator.runtimeEstimate(job, now),
                estimatedCosts(job.job().costs()));
    }

    /** Costs without an assumed load time: until it is measured, it is part of the estimated run time. */
    private Costs estimatedCosts(Costs estimated) {
        Costs assumed = loop.settings.assumedCosts();
        boolean measured = estimated.firstLoadMillis() != assumed.firstLoadMillis()
                || estimated.reloadMillis() != assumed.reloadMillis();
        return measured ? estimated : estimated.withoutLoads();
    }
}
