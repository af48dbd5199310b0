package dev.fermata.insight.prediction;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** One possible continuation of a live state, simulated until every job of interest has started. */
final class PredictionScenario
        implements RecordReader.IgnoresJobs,
                RecordReader.IgnoresAttempts,
                RecordReader.IgnoresReservations,
                RecordReader.IgnoresCluster,
                RecordReader.IgnoresDeclines {
    /** The result for one pending job. */
    static final class ScenarioStart {
        long startMillis = StartDistribution.NEVER;
        long gainMillis;
        long costMillis;
        List<Long> victims = List.of();
    }

    private final LongMap<ScenarioStart> startsByJob = new LongMap<>();
    private int jobsNotStarted;
    private int cyclesLeft;

    private PredictionScenario(List<Long> pendingIds, int maxCycles) {
        for (long id : pendingIds) {
            startsByJob.put(id, new ScenarioStart());
        }
        jobsNotStarted = pendingIds.size();
        cyclesLeft = maxCycles;
    }

    /**
     * @param pendingIds the pending jobs to predict
     * @param totalWorkMillis the total work of each job in this scenario
     * @param arrivals jobs that arrive in it
     */
    static PredictionScenario simulate(
            ClusterSnapshot state,
            List<Long> pendingIds,
            ToLongFunction<Job> totalWorkMillis,
            List<ScenarioArrival> arrivals,
            long untilMillis,
            int maxCycles) {
        PredictionScenario scenario = new PredictionScenario(pendingIds, maxCycles);
        scenario.run(state, totalWorkMillis, arrivals, untilMillis);
        return scenario;
    }

    ScenarioStart of(long jobId) {
        return Objects.requireNonNull(startsByJob.get(jobId));
    }

    private void run(
            ClusterSnapshot state,
            ToLongFunction<Job> totalWorkMillis,
            List<ScenarioArrival> arrivals,
            long untilMillis) {
        PolicySpec policy = state.policy();
        Scheduler scheduler = new Scheduler(
                state.topology(),
                policy.create(),
                new SnapshotEstimator(state.estimates(), arrivals),
                GuardMode.PLAN,
                policy.memoryGuard(),
                policy.mixedGangs());
        scheduler.restore(state.scheduler());
        scheduler.restorePolicyMemory(state.policyMemory());
        SimulatedEngine engine = new SimulatedEngine(state.topology(), Faults.none(state.topology()));
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : state.scheduler().jobs()) {
            Job job = jobSnapshot.job();
            WorkEstimate estimate = Objects.requireNonNull(state.estimates().get(job.id()));
            engine.resumeJob(
                    simulatedJob(job, jobSnapshot.submittedMillis(), totalWorkMillis.applyAsLong(job), estimate),
                    jobSnapshot,
                    state.nowMillis());
        }
        List<SimulatedJob> coming = new ArrayList<>();
        for (ScenarioArrival arrival : arrivals) {
            coming.add(simulatedJob(arrival.job(), arrival.atMillis(), arrival.totalWorkMillis(), arrival.estimate()));
        }
        new Simulation(new Workload("predicted", coming), scheduler, engine, this::read)
                .resumingAt(state.nowMillis(), untilMillis)
                .run(() -> jobsNotStarted == 0 || cyclesLeft-- <= 0);
    }

    private static SimulatedJob simulatedJob(Job job, long submitted, long totalWorkMillis, WorkEstimate estimate) {
        return new SimulatedJob(
                job, Math.max(0, submitted), totalWorkMillis, job.demand().gpuMemoryMib(), estimate.costs());
    }

    @Override
    public void started(long nowMillis, HistoryRecord.Started record) {
        ScenarioStart awaited = awaitedStart(record.jobId());
        if (awaited != null) {
            awaited.startMillis = nowMillis;
            jobsNotStarted--;
        }
    }

    @Override
    public void preempting(long nowMillis, HistoryRecord.Preempting record) {
        ScenarioStart awaited = awaitedStart(record.beneficiary());
        if (awaited != null) {
            awaited.victims = awaited.victims.isEmpty() ? new ArrayList<>() : awaited.victims;
            awaited.victims.add(record.jobId());
            awaited.gainMillis = record.gainMillis();
            awaited.costMillis = record.costMillis();
        }
    }

    @Override
    public void jobEnded(long nowMillis, HistoryRecord.JobEnded record) {
        if (record.state() != JobState.PENDING && awaitedStart(record.jobId()) != null) {
            jobsNotStarted--; // it never will
        }
    }

    /** The result of a job that has not started yet; null when its start is known or not asked for. */
    private @Nullable ScenarioStart awaitedStart(long jobId) {
        ScenarioStart start = startsByJob.get(jobId);
        return start == null || start.startMillis != StartDistribution.NEVER ? null : start;
    }
}
