package dev.fermata.insight.prediction;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A simulated run that is stopped in the middle, predicted from there, and then continued, so that the true starts are
 * known.
 */
final class InterruptedSimulation {
    final Topology topology;
    final PolicySpec policy;
    final Scheduler scheduler;
    /** First start after the stop, by job. */
    final Map<Long, Long> starts = new TreeMap<>();

    private final Map<Long, SimulatedJob> jobs = new HashMap<>();
    private final Simulation simulation;
    private int recordCount;
    private boolean stopped;

    InterruptedSimulation(Topology topology, String policy, List<SimulatedJob> jobs) {
        this.topology = topology;
        this.policy = PolicySpec.parse(policy);
        jobs.forEach(job -> this.jobs.put(job.job().id(), job));
        SimulatedEngine engine = new SimulatedEngine(topology, Faults.none(topology));
        scheduler = new Scheduler(
                topology,
                this.policy.create(),
                Estimators.parse("oracle").create(engine, 1),
                GuardMode.FULL,
                this.policy.memoryGuard(),
                this.policy.mixedGangs());
        simulation = new Simulation(new Workload("known", jobs), scheduler, engine, this::onRecord);
    }

    private void onRecord(long now, HistoryRecord record) {
        recordCount++;
        if (stopped && record instanceof HistoryRecord.Started started) {
            starts.putIfAbsent(started.jobId(), now);
        }
    }

    /** Runs until all have arrived and this much happened. */
    InterruptedSimulation runUntil(int minRecords) {
        long last = jobs.values().stream()
                .mapToLong(SimulatedJob::submitMillis)
                .max()
                .orElse(0);
        simulation.run(() -> recordCount >= minRecords && scheduler.snapshot().lastRecordMillis() >= last);
        stopped = true;
        return this;
    }

    long nowMillis() {
        return scheduler.view().nowMillis();
    }

    /** @param uncertainty the factor above the true time that is exceeded with a chance of one in ten; 1 for none */
    ClusterSnapshot predictionInput(long uncertainty) {
        SchedulerSnapshot snapshot = scheduler.snapshot();
        Map<Long, WorkEstimate> estimates = new HashMap<>();
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : snapshot.jobs()) {
            SimulatedJob job = Objects.requireNonNull(jobs.get(jobSnapshot.job().id()));
            long done = jobSnapshot.savedWorkMillis()
                    + (jobSnapshot.attemptWorkMicro()
                                    + (nowMillis() - jobSnapshot.speedSinceMillis()) * jobSnapshot.speedMicro())
                            / Speed.UNIT;
            long left = Math.max(1, job.durationMillis() - done);
            estimates.put(
                    jobSnapshot.job().id(),
                    new WorkEstimate(
                            done, left, Math.max(1, left / uncertainty), left * uncertainty, null, job.costs()));
        }
        return new ClusterSnapshot(
                topology, policy, snapshot, PolicyMemory.NONE, estimates, List.of(), List.of(), nowMillis());
    }

    void runToEnd() {
        simulation.run(() -> false);
    }
}
