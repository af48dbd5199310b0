package dev.fermata.live.learning;

import dev.fermata.history.ReportedRemainingTime;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.spec.SecretMask;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The progress of jobs as their scripts report it or their output shows it. It keeps the latest report and step speed of running jobs, the remaining time
 * of preempted ones. The engine's threads write, all threads read. It is never stored: a lost report is replaced by the
 * next one, and the final progress of an attempt is part of its measurements.
 */
public final class ProgressReports implements ReportedRemainingTime {
    /**
     * When estimates were made.
     *
     * @param atStep the steps done at the last one
     * @param sinceMillis since when they are possible
     */
    private record EstimateMarks(long atStep, long sinceMillis) {
        static final EstimateMarks NONE = new EstimateMarks(0, AttemptProgress.UNKNOWN);
    }

    private record AttemptReports(
            int attempt,
            SecretMask mask,
            EngineEvent.@Nullable JobReport first,
            EngineEvent.@Nullable JobReport last,
            EngineEvent.ProgressOrigin origin,
            StepSpeed speed,
            EstimateMarks marks,
            CoRunStepTimes coRunStepTimes) {
        boolean reportsSteps() {
            return !origin.isOutput() && last != null && last.step() > 0;
        }

        /** The same, begun again where what is known has another origin: the two may count differently. */
        AttemptReports ofOrigin(EngineEvent.ProgressOrigin other) {
            return other.source().equals(origin.source())
                    ? this
                    : new AttemptReports(
                            attempt, mask, null, null, other, StepSpeed.UNKNOWN, EstimateMarks.NONE, coRunStepTimes);
        }
    }

    /** What an attempt does according to its reports. */
    enum Activity {
        /** No report so far. */
        SILENT,
        LOADING,
        STEPPING,
        FINISHED
    }

    /** Upper bound of any reported remaining time: thirty years. */
    private static final double MAX_MILLIS = 1e12;

    /** Output may be silent for this long beyond its expected end. */
    private static final long MAX_SILENT_MILLIS = 60_000;

    private final ConcurrentHashMap<Long, AttemptReports> attempts = new ConcurrentHashMap<>();
    /** Remaining time of jobs when they were last preempted. */
    private final ConcurrentHashMap<Long, Long> remainingOfPending = new ConcurrentHashMap<>();

    private final AtomicLong version = new AtomicLong();

    /** Accepts reports of this attempt from now on. */
    public void beginAttempt(long job, int attempt, SecretMask mask) {
        attempts.put(
                job,
                new AttemptReports(
                        attempt,
                        mask,
                        null,
                        null,
                        EngineEvent.ProgressOrigin.REPORTED,
                        StepSpeed.UNKNOWN,
                        EstimateMarks.NONE,
                        CoRunStepTimes.NONE));
    }

    /** The attempt has ended. */
    public void endAttempt(long job) {
        attempts.remove(job);
    }

    /** Keeps the remaining time of a pending job from its last attempt. Without step counts nothing changes. */
    public void recordRemaining(long job, AttemptMeasurements observed) {
        long left = observed.totalSteps() - Math.max(0, observed.savedStep());
        if (observed.totalSteps() > 0 && observed.iterationMicros() > 0 && left > 0) {
            remainingOfPending.put(job, Math.max(1, Math.round(left * (observed.iterationMicros() / 1000.0))));
        }
    }

    /** The job has ended. */
    public void forget(long job) {
        attempts.remove(job);
        remainingOfPending.remove(job);
    }

    /** Returns whether this is the first report of the attempt that allows an estimate of its remaining time. */
    public boolean accept(EngineEvent.ProgressReported update) {
        boolean[] reported = new boolean[1];
        attempts.computeIfPresent(update.jobId(), (job, before) -> {
            if (before.attempt != update.attempt()) {
                return before;
            }
            if (update.origin().isOutput() && before.reportsSteps()) {
                return before;
            }
            AttemptReports after = update(before.ofOrigin(update.origin()), update);
            reported[0] = before.marks.sinceMillis < 0 && after.marks.sinceMillis >= 0;
            return after;
        });
        return reported[0];
    }

    /** Estimates are taken again when the attempt has done twice as many steps as at the last estimate. */
    private AttemptReports update(AttemptReports known, EngineEvent.ProgressReported update) {
        EngineEvent.JobReport report = update.report();
        boolean counts = report.total() > 0 && report.step() > 0;
        EngineEvent.JobReport first = known.first == null && counts ? report : known.first;
        EngineEvent.JobReport before = known.last;
        boolean steps = before != null && counts && report.type().equals("step") && before.step() > 0;
        StepSpeed speed = steps && before != null ? known.speed.after(before, report) : known.speed;
        boolean judge = first != null && counts && report.step() - first.step() >= 2 * known.marks.atStep + 1;
        boolean estimable = known.marks.sinceMillis < 0 && report.total() > 0 && speed.micros() > 0;
        boolean otherLength = before != null
                && before.total() != report.total()
                && update.origin().isOutput();
        if (judge || estimable || otherLength) {
            version.incrementAndGet();
        }
        return new AttemptReports(
                known.attempt,
                known.mask,
                first,
                report,
                update.origin(),
                speed,
                new EstimateMarks(
                        judge && first != null ? report.step() - first.step() : known.marks.atStep,
                        estimable ? update.receivedMillis() : known.marks.sinceMillis),
                known.coRunStepTimes.after(report));
    }

    /** Sets the programs that share the GPUs of an attempt; null when unknown. */
    public void setNeighbours(long job, int attempt, @Nullable List<String> keys, long nowMillis) {
        attempts.computeIfPresent(
                job,
                (id, known) -> known.attempt != attempt
                        ? known
                        : new AttemptReports(
                                known.attempt,
                                known.mask,
                                known.first,
                                known.last,
                                known.origin,
                                known.speed,
                                known.marks,
                                known.coRunStepTimes.withNeighbours(keys, nowMillis)));
    }

    /** The step times of the attempt by co-located programs. */
    CoRunStepTimes coRunStepTimes(long job, int attempt) {
        AttemptReports known = attempts.get(job);
        return known == null || known.attempt != attempt ? CoRunStepTimes.NONE : known.coRunStepTimes;
    }

    Activity activity(long job, int attempt) {
        AttemptReports known = attempts.get(job);
        EngineEvent.JobReport last = known == null || known.attempt != attempt ? null : known.last;
        if (last == null) {
            return Activity.SILENT;
        }
        if (last.type().equals("finished")) {
            return Activity.FINISHED;
        }
        return last.step() > 0 && !last.type().equals("loaded") ? Activity.STEPPING : Activity.LOADING;
    }

    @Override
    public long version(long nowMillis) {
        return version.get();
    }

    @Nullable
    public AttemptProgress progress(long job) {
        AttemptReports known = attempts.get(job);
        EngineEvent.JobReport last = known == null ? null : known.last;
        return known == null || last == null
                ? null
                : new AttemptProgress(
                        known.attempt,
                        last.atMillis(),
                        last.type(),
                        last.step(),
                        last.total(),
                        new AttemptProgress.LatestMetric(known.mask.apply(last.metricName()), last.metric()),
                        known.marks.sinceMillis,
                        known.origin);
    }

    @Override
    public long remainingMillis(long job, int attempt, long nowMillis) {
        AttemptReports known = attempts.get(job);
        EngineEvent.JobReport last = known == null ? null : known.last;
        if (known == null || last == null || known.attempt != attempt || last.total() <= 0) {
            return -1;
        }
        long micros = known.speed.micros();
        if (micros <= 0) {
            return -1;
        }
        double left = Math.min(MAX_MILLIS, Math.max(0, last.total() - last.step()) * (micros / 1000.0));
        long silent = Math.max(0, nowMillis - last.atMillis());
        if (known.origin.isOutput() && silent > left + MAX_SILENT_MILLIS) {
            return -1; // it goes on although its counter has ended or stands still: that was not the run
        }
        return Math.max(1, Math.round(left) - silent);
    }

    @Override
    public boolean isFromOutput(long job) {
        AttemptReports known = attempts.get(job);
        return known != null && known.origin.isOutput();
    }

    @Override
    public long pendingMillis(long job) {
        return remainingOfPending.getOrDefault(job, -1L);
    }
}
