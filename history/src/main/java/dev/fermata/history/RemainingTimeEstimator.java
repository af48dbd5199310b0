package dev.fermata.history;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.StepCountEstimate;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Speed;
import dev.fermata.history.RemainingTime.EstimateSource;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the remaining time of jobs. The sources, in this order: the reports of its script or its output, completed runs
 * of its program, similar jobs, the declared run time while it is not exceeded, all jobs. It never blocks.
 */
public final class RemainingTimeEstimator implements Estimator {
    /** With fewer similar jobs a declared run time takes precedence. */
    private static final int MIN_SAMPLES = 3;

    private final HistoryEstimator history;
    private final ReportedRemainingTime reports;
    private final EstimateCalibration calibration;
    /** Speeds of jobs in their last run. */
    private final LongMap<Long> lastSpeeds = new LongMap<>();

    public RemainingTimeEstimator(HistoryEstimator history, ReportedRemainingTime reports) {
        this(history, reports, new EstimateCalibration());
    }

    public RemainingTimeEstimator(
            HistoryEstimator history, ReportedRemainingTime reports, EstimateCalibration calibration) {
        this.history = history;
        this.reports = reports;
        this.calibration = calibration;
    }

    /** The errors of earlier estimates, which the intervals of {@link #remaining} rest on. */
    public EstimateCalibration calibration() {
        return calibration;
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        EstimateSource source = source(job, nowMillis);
        return median(job, source, nowMillis);
    }

    /** Reported steps leave no uncertainty; the trust in declared run times is left to policies. */
    @Override
    public @Nullable RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
        return switch (source(job, nowMillis)) {
            case REPORTED, OUTPUT -> new StepCountEstimate(job.doneWorkMillis(nowMillis), reported(job, nowMillis));
            case DECLARED -> null;
            case LEARNED, ASSUMED -> history.runtimeEstimate(job, nowMillis);
        };
    }

    /** The remaining work with its interval and source. Reading it changes no decision. */
    public RemainingTime remaining(JobView job, long nowMillis) {
        EstimateSource source = source(job, nowMillis);
        if (source == EstimateSource.LEARNED || source == EstimateSource.ASSUMED) {
            long[] left = history.decilesMillis(job, nowMillis);
            return new RemainingTime(left[0], left[1], left[2], source);
        }
        return calibration.intervalAround(median(job, source, nowMillis), source);
    }

    private EstimateSource source(JobView job, long nowMillis) {
        if (reported(job, nowMillis) > 0) {
            return reports.isFromOutput(job.id()) ? EstimateSource.OUTPUT : EstimateSource.REPORTED;
        }
        boolean declares = declared(job, nowMillis) > 0;
        if (history.similarRuns(job, nowMillis) >= (declares ? MIN_SAMPLES : 1)
                || history.sampleCount(job) >= MIN_SAMPLES) {
            return EstimateSource.LEARNED;
        }
        return declares ? EstimateSource.DECLARED : EstimateSource.ASSUMED;
    }

    private long median(JobView job, EstimateSource source, long nowMillis) {
        return switch (source) {
            case REPORTED, OUTPUT -> reported(job, nowMillis);
            case DECLARED -> declared(job, nowMillis);
            case LEARNED, ASSUMED -> history.remainingMillis(job, nowMillis);
        };
    }

    /** The rest of the declared run time; not positive when none is declared or it is exceeded. */
    private static long declared(JobView job, long nowMillis) {
        long declared = job.job().declaredMillis();
        return declared > 0 ? declared - job.doneWorkMillis(nowMillis) : -1;
    }

    private long reported(JobView job, long nowMillis) {
        boolean runs = job.state() == JobState.RUNNING;
        long counted = runs ? reports.remainingMillis(job.id(), job.attempt(), nowMillis) : -1;
        if (counted >= 0) {
            return toWorkMillis(counted, job.speedMicro());
        }
        // A job that has just resumed still has the remaining time it was preempted with. Without it, the policy could
        // preempt it again for the same beneficiary.
        long left = job.attempt() == 0 || job.state().isFinal() ? -1 : reports.pendingMillis(job.id());
        if (left < 0) {
            return -1;
        }
        Long speedMicro = lastSpeeds.get(job.id());
        long ran = runs ? nowMillis - job.runningMillis() : 0;
        return toWorkMillis(Math.max(1, left - ran), speedMicro == null ? Speed.UNIT : speedMicro);
    }

    private static long toWorkMillis(long wallMillis, long speedMicro) {
        return wallMillis < 0 ? -1 : Math.max(1, Math.round((double) wallMillis * speedMicro / Speed.UNIT));
    }

    @Override
    public void observe(JobView job, long nowMillis) {
        history.observe(job, nowMillis);
        if (job.state() == JobState.RUNNING) {
            lastSpeeds.put(job.id(), job.speedMicro());
        } else if (job.state().isFinal()) {
            lastSpeeds.remove(job.id());
        }
    }

    @Override
    public long version(long nowMillis) {
        return history.version(nowMillis) + reports.version(nowMillis);
    }

    @Override
    public long nextChangeMillis(long nowMillis) {
        return reports.nextMillis(nowMillis);
    }
}
