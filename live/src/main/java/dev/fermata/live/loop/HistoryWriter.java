package dev.fermata.live.loop;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.learning.AttemptProgress;
import dev.fermata.live.learning.ProgressReports;
import dev.fermata.live.learning.SpeedTracker;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileUpdate;
import dev.fermata.live.spec.SecretMask;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes history records as history entries, and updates the rows of jobs and attempts. It never decides anything. */
final class HistoryWriter {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryWriter.class);
    private static final String SHADOW = "shadow";

    private final LiveJobIndex liveJobs;
    private final Scheduler scheduler;
    private final ProgressReports reports;
    private final SpeedTracker speedTracker;
    private final HistoryCodec codec;
    private final DecisionSource decidedBy;
    private long nextSeq;

    /**
     * The source of decisions in the history.
     *
     * @param actor {@code policy}, or {@code shadow} where decisions are not carried out
     * @param policy the policy with its parameters
     */
    record DecisionSource(String actor, String policy) {
        static DecisionSource of(boolean shadow, String policy) {
            return new DecisionSource(shadow ? SHADOW : "policy", policy);
        }

        boolean isShadow() {
            return actor.equals(SHADOW);
        }
    }

    HistoryWriter(
            LiveJobIndex liveJobs,
            Scheduler scheduler,
            ProgressReports reports,
            SpeedTracker speedTracker,
            HistoryCodec codec,
            DecisionSource decidedBy,
            long nextSeq) {
        this.liveJobs = liveJobs;
        this.scheduler = scheduler;
        this.reports = reports;
        this.speedTracker = speedTracker;
        this.codec = codec;
        this.decidedBy = decidedBy;
        this.nextSeq = nextSeq;
    }

    long lastSeq() {
        return nextSeq - 1;
    }

    void write(HistoryRecord record, CycleOutput output) {
        Map<String, Object> annotations = annotations(record, output);
        int attempt = apply(record, output);
        output.entries.add(new HistoryEntry(
                nextSeq++,
                output.nowMillis,
                record.jobId(),
                attempt,
                actorOf(record, output),
                HistoryCodec.typeOf(record),
                codec.encode(record, annotations)));
    }

    /** Writes an entry that is not a history record of the scheduler. */
    void write(CycleOutput.ExtraEntry extraEntry, CycleOutput output) {
        output.entries.add(new HistoryEntry(
                nextSeq++,
                output.nowMillis,
                extraEntry.jobId(),
                0,
                extraEntry.actor(),
                extraEntry.type(),
                codec.json().writeStored(extraEntry.body())));
    }

    private String actorOf(HistoryRecord record, CycleOutput output) {
        return switch (record.type()) {
            case STARTED, RESERVED, PREEMPTING, PROFILED, PREEMPTION_DECLINED, ACTION_REJECTED -> decidedBy.actor();
            case RUNNING,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    ATTEMPT_ENDED,
                    CAPACITY_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED -> "engine";
            case SUBMITTED,
                    JOB_REJECTED,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    QUEUES_SET,
                    RESERVATION_RELEASED,
                    CANCELLING,
                    DRAIN_CHANGED,
                    JOB_ENDED -> output.actors.getOrDefault(record.jobId(), "daemon");
        };
    }

    private Map<String, Object> annotations(HistoryRecord record, CycleOutput output) {
        if (record instanceof HistoryRecord.AttemptEnded ended) {
            return annotations(ended, output);
        }
        boolean weighed =
                record instanceof HistoryRecord.Preempting || record instanceof HistoryRecord.PreemptionDeclined;
        return weighed ? Map.of("policy", decidedBy.policy()) : Map.of();
    }

    private Map<String, Object> annotations(HistoryRecord.AttemptEnded ended, CycleOutput output) {
        Map<String, Object> annotations = new LinkedHashMap<>();
        EngineEvent.AttemptExit exit = output.exits.get(ended.jobId());
        if (exit != null) {
            annotations.put("exit", exit);
        }
        AttemptMeasurements measured = output.measurements.get(ended.jobId());
        if (measured != null) {
            annotations.put("measured", measured);
        }
        ProfileUpdate profileUpdate = output.profileUpdates.get(ended.jobId());
        if (profileUpdate != null) {
            annotations.put("profileUpdate", profileUpdate);
        }
        AttemptProgress progress = reports.progress(ended.jobId());
        if (progress != null && progress.attempt() == ended.attempt()) {
            annotations.put("progress", progress);
        }
        return annotations;
    }

    /** Updates rows and counts; returns the attempt that the record concerns. */
    private int apply(HistoryRecord record, CycleOutput output) {
        return switch (record.type()) {
            case SUBMITTED -> {
                LiveJob job = Objects.requireNonNull(output.acceptedJobs.remove(record.jobId()));
                job.accept(scheduler.job(job.id));
                liveJobs.add(job);
                output.changedJobs.add(job);
                output.jobsArrived = true;
                yield 0;
            }
            case JOB_REJECTED -> {
                LiveJob job = Objects.requireNonNull(output.acceptedJobs.remove(record.jobId()));
                job.endPending(JobState.UNSATISFIABLE, output.nowMillis);
                job.detail = ((HistoryRecord.JobRejected) record).reason().message();
                output.changedJobs.add(job);
                yield 0;
            }
            case ACTION_REJECTED -> {
                HistoryRecord.ActionRejected rejected = (HistoryRecord.ActionRejected) record;
                LOG.warn(
                        "job {}: plan guard rejected action {}: {}",
                        rejected.jobId(),
                        rejected.action(),
                        rejected.rule());
                yield 0;
            }
            case QUEUES_SET,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED -> 0;
            case PREEMPTION_DECLINED -> Objects.requireNonNull(liveJobs.find(record.jobId())).entryAttempt;
            case STARTED,
                    RUNNING,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTING,
                    PROFILED,
                    CANCELLING,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    ATTEMPT_ENDED,
                    JOB_ENDED -> applyToJob(record, output);
        };
    }

    private int applyToJob(HistoryRecord record, CycleOutput output) {
        LiveJob job = liveJobs.find(record.jobId());
        if (job == null) {
            return 0; // it has just ended
        }
        apply(record, job, output);
        if (job.isEnded()) {
            job.update(job.spec.withoutSecrets());
            liveJobs.remove(job);
        }
        output.changedJobs.add(job);
        return job.entryAttempt;
    }

    private void apply(HistoryRecord record, LiveJob job, CycleOutput output) {
        long now = output.nowMillis;
        switch (record.type()) {
            case STARTED -> applyStart((HistoryRecord.Started) record, job, output);
            case RUNNING -> {
                LiveAttempt run = run(job, output);
                job.recordRunning(run, now);
                speedTracker.markChanged(run);
            }
            case PREEMPTING -> {
                HistoryRecord.Preempting preempting = (HistoryRecord.Preempting) record;
                LiveAttempt run = run(job, output);
                job.recordLeaving(run, now);
                run.recordPreemption(preempting, now);
                speedTracker.markChanged(run);
                if (preempting.beneficiary() != job.id) {
                    job.countPreemption();
                }
            }
            case PROFILED -> {
                LiveAttempt run = run(job, output);
                job.recordLeaving(run, now);
                run.recordProfiled(now);
            }
            case CANCELLING -> {
                LiveAttempt run = run(job, output);
                job.recordLeaving(run, now);
                run.preemptingMillis = run.preemptingMillis < 0 ? now : run.preemptingMillis;
                speedTracker.markChanged(run);
            }
            case SUSPEND_FAILED -> {
                job.recordGoingOn(run(job, output), now);
                LOG.warn(
                        "attempt {}.{}: could not be suspended, runs on: {}",
                        job.id,
                        job.attempt(),
                        ((HistoryRecord.SuspendFailed) record).cause());
            }
            case SUSPENSION_ENDED ->
                job.detail = "its suspended processes are gone: " + ((HistoryRecord.SuspensionEnded) record).cause();
            case START_FAILED -> applyStartFailure((HistoryRecord.StartFailed) record, output);
            case ATTEMPT_ENDED -> applyAttemptEnd((HistoryRecord.AttemptEnded) record, job, output);
            case JOB_ENDED -> {
                reports.forget(job.id);
                job.endPending(((HistoryRecord.JobEnded) record).state(), now);
            }
            case JOB_UPDATED -> job.update(output.currentSpec(job));
            case HELD, RELEASED, RESERVED, RESERVATION_RELEASED, SPEED_CHANGED -> {} // the scheduler has them
            case SUBMITTED,
                    JOB_REJECTED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED,
                    QUEUES_SET,
                    PREEMPTION_DECLINED ->
                throw new IllegalArgumentException(record.type() + " does not change a live job");
        }
    }

    private void applyStart(HistoryRecord.Started started, LiveJob job, CycleOutput output) {
        long now = output.nowMillis;
        LiveAttempt run = new LiveAttempt(job.id, started.attempt(), started.allocation(), now);
        job.begin(run);
        output.changedAttempts.add(run);
        reports.beginAttempt(job.id, started.attempt(), SecretMask.of(job.spec));
        reports.setNeighbours(job.id, started.attempt(), List.of(), now);
    }

    /** Brings counts and co-locations up to date when all records of a decision are written. */
    void finishDecision(List<HistoryRecord> records, CycleOutput output) {
        output.changedJobs.forEach(liveJobs::refresh);
        for (HistoryRecord record : records) {
            LiveJob job = record.type() == HistoryRecord.Type.STARTED ? liveJobs.find(record.jobId()) : null;
            LiveAttempt run = job == null ? null : job.liveAttempt;
            if (run != null) {
                for (long id : scheduler.gpuUse().neighbours(run.jobId, run.allocation)) {
                    LiveJob other = liveJobs.find(id);
                    if (other != null && other.liveAttempt != null) {
                        speedTracker.recordCoLocation(run, other.liveAttempt, output.nowMillis);
                    }
                }
            }
        }
    }

    private static void applyStartFailure(HistoryRecord.StartFailed failed, CycleOutput output) {
        boolean last = failed.retryAtMillis() == 0;
        String times = failed.failures() == 1 ? "" : " " + failed.failures() + " times in a row";
        output.exits.put(
                failed.jobId(),
                new EngineEvent.AttemptExit(null, 0, "could not be started" + times + ": " + failed.cause()));
        output.addEngineAnswer("start", "failed");
        LOG.warn(
                "attempt {}.{}: start failed ({} in a row): {}; {}",
                failed.jobId(),
                failed.attempt(),
                failed.failures(),
                failed.cause(),
                last
                        ? "no further attempt"
                        : "next attempt in " + (failed.retryAtMillis() - output.nowMillis) / 1000 + "s");
        if (failed.excludedUntilMillis() > 0) {
            output.addEngineAnswer("node", "excluded");
            LOG.warn(
                    "node {}: excluded for {} s, its starts failed repeatedly",
                    failed.node(),
                    (failed.excludedUntilMillis() - output.nowMillis) / 1000);
        }
    }

    private void applyAttemptEnd(HistoryRecord.AttemptEnded ended, LiveJob job, CycleOutput output) {
        EngineEvent.AttemptExit exit = output.exits.get(job.id);
        LiveAttempt run = run(job, output);
        speedTracker.markChanged(run);
        AttemptMeasurements measured = output.measurements.get(job.id);
        reports.endAttempt(job.id);
        if (ended.next().isFinal()) {
            reports.forget(job.id);
        }
        long reportedMillis = exit == null || !ended.next().isFinal() ? -1 : exit.endedMillis();
        long endedMillis = job.endMillis(reportedMillis, output.nowMillis);
        job.recordAttemptEnd(run, ended.next(), run.unreportedRunMillis(ended.usage(), endedMillis), endedMillis);
        run.recordEnd(ended, exit, measured == null ? "" : codec.json().writeStored(measured), endedMillis);
        output.jobsArrived |= ended.next() == JobState.PENDING;
        job.exitCode = exit == null ? null : exit.code();
        job.detail = exit == null ? "" : exit.detail();
    }

    private static LiveAttempt run(LiveJob job, CycleOutput output) {
        LiveAttempt run = Objects.requireNonNull(job.liveAttempt);
        output.changedAttempts.add(run);
        return run;
    }
}
