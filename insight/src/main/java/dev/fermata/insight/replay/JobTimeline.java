package dev.fermata.insight.replay;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The history of one job, from its submission to its end or to the end of the history. */
final class JobTimeline {
    private static final long MICROS = 1000;
    /** A step estimate that is wrong by more than this factor is not trusted. */
    private static final double MAX_FACTOR = 2;

    /** As it was submitted. */
    final Job job;

    final long submittedMillis;
    final List<AttemptInterval> intervals = new ArrayList<>();
    /** How it ended; null while it lives. */
    @Nullable
    JobState end;

    long endMillis;
    /** Whether its script counts its steps and says how many there are. */
    boolean reportsSteps;

    /** Duration of one of its steps; 0 where unknown. */
    private long stepMicros;

    private HistoryRecord.@Nullable Started started;
    private long startedMillis;
    private long runningMillis;
    private long preemptingMillis;
    private long speedMicro;
    private long speedSinceMillis;
    private long ranMillis;
    private double workMicro;

    private JobTimeline(Job job, long submittedMillis) {
        this.job = job;
        this.submittedMillis = submittedMillis;
    }

    /** All jobs that are submitted in a history, in that order. */
    static Map<Long, JobTimeline> ofAll(List<RecordedEntry> entries) {
        Map<Long, JobTimeline> timelines = new LinkedHashMap<>();
        for (RecordedEntry entry : entries) {
            HistoryRecord record = entry.record();
            if (record instanceof HistoryRecord.Submitted submitted) {
                timelines.put(record.jobId(), new JobTimeline(submitted.job(), entry.atMillis()));
            } else if (record instanceof HistoryRecord.JobRejected rejected) {
                JobTimeline timeline = new JobTimeline(rejected.job(), entry.atMillis());
                timeline.finish(JobState.UNSATISFIABLE, entry.atMillis());
                timelines.put(record.jobId(), timeline);
            } else if (timelines.containsKey(record.jobId())) {
                timelines.get(record.jobId()).apply(entry);
            }
        }
        return timelines;
    }

    private void apply(RecordedEntry entry) {
        long now = entry.atMillis();
        HistoryRecord record = entry.record();
        switch (record.type()) {
            case STARTED -> {
                started = (HistoryRecord.Started) record;
                startedMillis = now;
                runningMillis = -1;
                preemptingMillis = -1;
                speedMicro = 0;
                speedSinceMillis = now;
                ranMillis = 0;
                workMicro = 0;
            }
            case RUNNING -> {
                runningMillis = now;
                setSpeed(now, ((HistoryRecord.Running) record).speedMicro());
            }
            case SPEED_CHANGED -> setSpeed(now, ((HistoryRecord.SpeedChanged) record).speedMicro());
            case PREEMPTING, PROFILED -> {
                setSpeed(now, 0);
                preemptingMillis = now;
            }
            case SUSPEND_FAILED -> {
                setSpeed(now, ((HistoryRecord.SuspendFailed) record).speedMicro());
                preemptingMillis = -1;
            }
            case ATTEMPT_ENDED -> {
                endAttempt((HistoryRecord.AttemptEnded) record, entry.reported(), now);
                reportsSteps |= entry.reported().reportsSteps();
                stepMicros =
                        entry.reported().stepMicros() > 0 ? entry.reported().stepMicros() : stepMicros;
            }
            case JOB_ENDED -> finish(((HistoryRecord.JobEnded) record).state(), now);
            case SUBMITTED,
                    JOB_REJECTED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    QUEUES_SET,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTION_DECLINED,
                    CANCELLING,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    START_FAILED,
                    SUSPENSION_ENDED,
                    ACTION_REJECTED -> {}
        }
    }

    private void setSpeed(long now, long micro) {
        if (speedMicro > 0) {
            ranMillis += now - speedSinceMillis;
            workMicro += (double) (now - speedSinceMillis) * speedMicro;
        }
        speedMicro = micro;
        speedSinceMillis = now;
    }

    private void endAttempt(HistoryRecord.AttemptEnded record, StepProgress reported, long now) {
        HistoryRecord.Started begun = started;
        if (begun == null) {
            return;
        }
        setSpeed(now, 0);
        intervals.add(new AttemptInterval(
                begun.allocation(),
                begun.resumed(),
                startedMillis,
                runningMillis,
                preemptingMillis,
                now,
                ranMillis == 0 ? 0 : Math.round(workMicro / ranMillis),
                record.outcome(),
                record.usage(),
                reported));
        started = null;
        if (record.next().isFinal()) {
            finish(record.next(), now);
        }
    }

    /**
     * Whether an attempt ran. A script that counts steps and was lost before its first report had not loaded, whatever
     * the engine reported.
     */
    boolean hasRun(AttemptInterval interval) {
        boolean silent = reportsSteps
                && interval.outcome() == Outcome.LOST
                && !interval.reported().reportsSteps();
        return interval.hasRun() && !silent;
    }

    /** How its script counts. */
    StepReporting stepReporting() {
        List<StepReporting.AttemptReporting> reportings = new ArrayList<>();
        for (int i = 0; i < intervals.size(); i++) {
            reportings.add(attemptReporting(i));
        }
        return new StepReporting(stepMicros / MICROS, reportings);
    }

    private StepReporting.AttemptReporting attemptReporting(int place) {
        StepReporting.AttemptReporting typical = StepReporting.typical(stepMicros / MICROS);
        AttemptInterval interval = intervals.get(place);
        if (!hasRun(interval)) {
            return typical;
        }
        long ran = interval.ranMillis();
        long known = interval.reported().knownMillis() - interval.startedMillis() - interval.loadMillis();
        return new StepReporting.AttemptReporting(
                interval.reported().knownMillis() > 0
                        ? Math.max(1, known)
                        : Math.max(ran + 1, typical.knownAfterMillis()),
                interval.reported().isKnownAtEnd()
                        ? Math.min(ran, typical.knownAtEndAfterMillis())
                        : Math.max(ran + 1, typical.knownAtEndAfterMillis()),
                estimateFactor(place));
    }

    /**
     * The ratio of the estimated to the actual remaining time after this attempt, or in it if it was the last. A few
     * steps do not represent all steps, and a step that is interrupted by a preemption counts as preemption time.
     */
    private double estimateFactor(int place) {
        StepProgress reported = intervals.get(place).reported();
        boolean last = place == intervals.size() - 1;
        long before = place == 0
                ? reported.steps()
                : intervals.get(place - 1).reported().stepsLeft();
        double thought = reported.millis(last ? before : reported.stepsLeft());
        double took = 0;
        for (AttemptInterval later : intervals.subList(last ? place : place + 1, intervals.size())) {
            took += (double) later.workedMillis()
                    * later.speedMicro()
                    / Math.max(1, intervals.get(place).speedMicro());
        }
        boolean sure = end == JobState.COMPLETED
                && reported.isKnownAtEnd()
                && intervals.get(place).speedMicro() > 0
                && thought > 0
                && took > 0;
        return sure ? Math.max(1 / MAX_FACTOR, Math.min(MAX_FACTOR, thought / took)) : 1;
    }

    private void finish(JobState state, long now) {
        end = state;
        endMillis = now;
    }

    /** The GPUs it holds at the end of the history, and since when; null when it holds none. */
    @Nullable
    Allocation heldAllocation() {
        return started == null ? null : started.allocation();
    }

    long heldSinceMillis() {
        return startedMillis;
    }
}
