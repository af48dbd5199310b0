package dev.fermata.live.loop;

import dev.fermata.core.contract.GpuUse;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes history records as history entries, and updates the rows of jobs and attempts. It never decides anything. */
final class HistoryWriter {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryWriter.class);
    private final LiveJobIndex liveJobs;
    private final GpuUse gpuUse;
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
    record DecisionSource(String actor, String policy) {}

    HistoryWriter(
            LiveJobIndex liveJobs,
            GpuUse gpuUse,
            ProgressReports reports,
            SpeedTracker speedTracker,
            HistoryCodec codec,
            DecisionSource decidedBy,
            long nextSeq) {
        this.liveJobs = liveJobs;
        this.gpuUse = gpuUse;
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
            case RUNNING, START_FAILED, ATTEMPT_ENDED, CAPACITY_CHANGED, CLUSTER_CHANGED -> "engine";
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
                liveJobs.add(job);
                output.changedJobs.add(job);
                output.jobsArrived = true;
                yield 0;
            }
            case JOB_REJECTED -> {
                LiveJob job = Objects.requireNonNull(output.acceptedJobs.remove(record.jobId()));
                job.enter(JobState.UNSATISFIABLE, output.nowMillis);
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
            case QUEUES_SET, CLUSTER_CHANGED, CAPACITY_CHANGED, DRAIN_CHANGED -> 0;
            case PREEMPTION_DECLINED -> Objects.requireNonNull(liveJobs.find(record.jobId())).attempt;
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
                    ATTEMPT_ENDED,
                    JOB_ENDED -> applyToJob(record, output);
        };
    }

    private int applyToJob(HistoryRecord record, CycleOutput output) {
        LiveJob job = liveJobs.find(record.jobId());
        if (job == null) {
            return 0; // it has just ended
        }
        liveJobs.update(job, j -> apply(record, j, output));
        output.changedJobs.add(job);
        return job.attempt;
    }

    private void apply(HistoryRecord record, LiveJob job, CycleOutput output) {
        long now = output.nowMillis;
        switch (record.type()) {
            case STARTED -> applyStart((HistoryRecord.Started) record, job, output);
            case RUNNING -> {
                job.enter(JobState.RUNNING, now);
                LiveAttempt run = run(job, output);
                run.runningMillis = now;
                speedTracker.markChanged(run);
            }
            case PREEMPTING -> {
                HistoryRecord.Preempting preempting = (HistoryRecord.Preempting) record;
                job.enter(JobState.PREEMPTING, now);
                LiveAttempt run = run(job, output);
                run.recordPreemption(preempting, now);
                speedTracker.markChanged(run);
                job.preemptions += preempting.beneficiary() == job.id ? 0 : 1;
            }
            case PROFILED -> {
                job.enter(JobState.PREEMPTING, now);
                run(job, output).recordProfiled(now);
            }
            case CANCELLING -> {
                job.enter(JobState.PREEMPTING, now);
                LiveAttempt run = run(job, output);
                run.preemptingMillis = run.preemptingMillis < 0 ? now : run.preemptingMillis;
                speedTracker.markChanged(run);
            }
            case START_FAILED -> applyStartFailure((HistoryRecord.StartFailed) record, output);
            case ATTEMPT_ENDED -> applyAttemptEnd((HistoryRecord.AttemptEnded) record, job, output);
            case JOB_ENDED -> {
                reports.forget(job.id);
                job.enter(((HistoryRecord.JobEnded) record).state(), now);
            }
            case HELD -> job.onHold = true;
            case RELEASED -> job.onHold = false;
            case JOB_UPDATED -> job.update(output.currentSpec(job));
            case RESERVED, RESERVATION_RELEASED, SPEED_CHANGED -> {} // the row has none of them
            case SUBMITTED,
                    JOB_REJECTED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED,
                    QUEUES_SET,
                    PREEMPTION_DECLINED ->
                throw new IllegalArgumentException(record.type() + " does not change a live job");
        }
    }

    private void applyStart(HistoryRecord.Started started, LiveJob job, CycleOutput output) {
        long now = output.nowMillis;
        job.enter(JobState.STARTING, now);
        job.attempt = started.attempt();
        job.firstStartMillis = job.firstStartMillis < 0 ? now : job.firstStartMillis;
        job.liveAttempt = new LiveAttempt(job.id, started.attempt(), started.allocation(), now);
        output.changedAttempts.add(job.liveAttempt);
        reports.beginAttempt(job.id, started.attempt(), SecretMask.of(job.spec));
        reports.setNeighbours(job.id, started.attempt(), List.of(), now);
    }

    /** Records which of the started jobs share GPUs, when all records of the decision are applied. */
    void recordCoLocations(List<HistoryRecord> records, long nowMillis) {
        for (HistoryRecord record : records) {
            LiveJob job = record.type() == HistoryRecord.Type.STARTED ? liveJobs.find(record.jobId()) : null;
            LiveAttempt run = job == null ? null : job.liveAttempt;
            if (run != null) {
                for (long id : gpuUse.neighbours(run.jobId, run.allocation)) {
                    LiveJob other = liveJobs.find(id);
                    if (other != null && other.liveAttempt != null) {
                        speedTracker.recordCoLocation(run, other.liveAttempt, nowMillis);
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
        long endedMillis = ended.next().isFinal() ? endMillis(exit, job, output.nowMillis) : output.nowMillis;
        run.recordEnd(ended, exit, measured == null ? "" : codec.json().writeStored(measured), endedMillis);
        job.enter(ended.next(), endedMillis);
        job.runMillis += run.unreportedRunMillis(ended.usage(), endedMillis);
        output.jobsArrived |= ended.next() == JobState.PENDING;
        job.exitCode = exit == null ? null : exit.code();
        job.detail = exit == null ? "" : exit.detail();
    }

    /** When the attempt ended, which may be before this daemon started. */
    private static long endMillis(EngineEvent.@Nullable AttemptExit exit, LiveJob job, long nowMillis) {
        return exit == null || exit.endedMillis() < 0
                ? nowMillis
                : Math.min(nowMillis, Math.max(job.sinceMillis, exit.endedMillis()));
    }

    private static LiveAttempt run(LiveJob job, CycleOutput output) {
        LiveAttempt run = Objects.requireNonNull(job.liveAttempt);
        output.changedAttempts.add(run);
        return run;
    }
}
