package dev.fermata.live.service;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.loop.InfeasibilityMessage;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.loop.SchedulingCycle;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DryRunResult.PlannedPreemption;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The dry run of a job on a copy of the cluster. The scheduler loop's thread only builds the snapshot. On another
 * thread, a new scheduler decides what would happen now, and the predictor when the job would start.
 */
final class DryRun {
    private final SchedulerLoop loop;
    private final ClusterSnapshotBuilder snapshotBuilder;
    private final PredictionService predictions;

    /** The snapshot and the job that is tried on it. */
    record Probe(ClusterSnapshot snapshot, Job job, boolean hold, int availableGpus) {}

    DryRun(SchedulerLoop loop, PredictionService predictions) {
        this.loop = loop;
        this.snapshotBuilder = new ClusterSnapshotBuilder(loop);
        this.predictions = predictions;
    }

    /** Runs on the scheduler loop's thread. */
    Probe prepare(Actor actor, JobSpec spec) {
        SchedulingCycle cycle = loop.cycle();
        Job job = cycle.hypotheticalJob(actor, spec);
        return new Probe(
                snapshotBuilder.build(List.of(job)), job, spec.hold(), cycle.scheduler.maxGpusOfOneType(job.demand()));
    }

    CompletableFuture<DryRunResult> evaluate(Probe probe) {
        return predictions.runInBackground(() -> resultOf(probe));
    }

    private DryRunResult resultOf(Probe probe) {
        Job job = probe.job();
        ClusterSnapshot snapshot = probe.snapshot();
        if (probe.availableGpus() < job.demand().minGpus()) {
            String why = new InfeasibilityMessage(snapshot.topology()).describe(job.demand(), probe.availableGpus());
            return new DryRunResult(
                    false, false, List.of(), PlannedPreemption.NONE, ReasonCode.UNSATISFIABLE, why, null);
        }
        PolicySpec policy = snapshot.policy();
        Scheduler scheduler = new Scheduler(
                snapshot.topology(),
                policy.create(),
                new FrozenEstimator(snapshot.estimates()),
                loop.settings.guard(),
                policy.memoryGuard(),
                policy.mixedGangs());
        scheduler.restore(snapshot.scheduler());
        scheduler.restorePolicyMemory(snapshot.policyMemory());
        List<Event> events = new ArrayList<>();
        events.add(new Event.Submitted(job));
        if (probe.hold()) {
            events.add(new Event.HoldRequested(job.id()));
        }
        Decision decision = scheduler.runCycle(snapshot.nowMillis(), events);
        StartPrediction start = probe.hold()
                ? StartPrediction.unknown(
                        snapshot.nowMillis(), "it would be on hold and start some time after its release")
                : predictions.runPredictor(snapshot).get(job.id());
        return describe(probe, scheduler, decision, start);
    }

    /** What the decision comes to for the probed job. */
    private static final class ProbeOutcome
            implements RecordReader.IgnoresJobs,
                    RecordReader.IgnoresAttempts,
                    RecordReader.IgnoresReservations,
                    RecordReader.IgnoresCluster,
                    RecordReader.IgnoresDeclines {
        private final Probe probe;
        private final List<DryRunResult.PlannedVictim> victims = new ArrayList<>();
        private List<Integer> gpus = List.of();
        private boolean starts;
        private long gainMillis;
        private long costMillis;

        ProbeOutcome(Probe probe) {
            this.probe = probe;
        }

        @Override
        public void started(long nowMillis, HistoryRecord.Started record) {
            if (record.jobId() == probe.job().id()) {
                gpus = gpuNumbers(record.allocation());
                starts = true;
            }
        }

        @Override
        public void reserved(long nowMillis, HistoryRecord.Reserved record) {
            gpus = record.jobId() == probe.job().id() ? gpuNumbers(record.allocation()) : gpus;
        }

        @Override
        public void preempting(long nowMillis, HistoryRecord.Preempting record) {
            if (record.beneficiary() == probe.job().id()) {
                victims.add(victim(probe.snapshot(), record.jobId()));
                gainMillis = record.gainMillis();
                costMillis = record.costMillis();
            }
        }
    }

    private static DryRunResult describe(
            Probe probe, Scheduler scheduler, Decision decision, @Nullable StartPrediction start) {
        long id = probe.job().id();
        ProbeOutcome outcome = new ProbeOutcome(probe);
        decision.records().forEach(record -> outcome.read(probe.snapshot().nowMillis(), record));
        List<DryRunResult.PlannedVictim> victims = outcome.victims;
        List<Integer> gpus = outcome.gpus;
        PlannedPreemption preemption = new PlannedPreemption(victims, outcome.gainMillis, outcome.costMillis);
        if (outcome.starts) {
            return new DryRunResult(true, true, gpus, preemption, null, "would start now", start);
        }
        PendingReason pendingReason = scheduler.explain(id);
        String message = pendingReason == null ? "" : pendingReason.message();
        if (!victims.isEmpty()) {
            message = "would start when " + victims.size() + (victims.size() == 1 ? " job has" : " jobs have")
                    + " saved and left for it";
        }
        ReasonCode reason = pendingReason == null ? null : pendingReason.code();
        return new DryRunResult(true, false, gpus, preemption, reason, message, start);
    }

    private static List<Integer> gpuNumbers(Allocation allocation) {
        return Arrays.stream(allocation.toArray()).boxed().toList();
    }

    private static DryRunResult.PlannedVictim victim(ClusterSnapshot snapshot, long id) {
        for (SchedulerSnapshot.JobSnapshot jobSnapshot : snapshot.scheduler().jobs()) {
            SchedulerSnapshot.Gpus held = jobSnapshot.held();
            if (jobSnapshot.job().id() == id && jobSnapshot.state() != JobState.PENDING && held != null) {
                return new DryRunResult.PlannedVictim(
                        id,
                        jobSnapshot.job().name(),
                        jobSnapshot.job().user(),
                        held.numbers().size());
            }
        }
        return new DryRunResult.PlannedVictim(id, "", "", 0); // started by the same decision
    }

    /** Returns the estimates of the snapshot. */
    private record FrozenEstimator(Map<Long, WorkEstimate> estimates) implements Estimator {
        @Override
        public long remainingMillis(JobView job, long nowMillis) {
            return estimate(job).remainingMillis();
        }

        @Override
        public @Nullable RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
            return estimate(job).runtimeEstimate();
        }

        private WorkEstimate estimate(JobView job) {
            return Objects.requireNonNull(estimates.get(job.id()));
        }
    }
}
