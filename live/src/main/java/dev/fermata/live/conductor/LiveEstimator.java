package dev.fermata.live.conductor;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.Counted;
import dev.fermata.core.estimate.History;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Pace;
import dev.fermata.live.learn.Calibration;
import dev.fermata.live.learn.RemainingTime;
import dev.fermata.live.learn.RemainingTime.Source;
import org.jspecify.annotations.Nullable;

/**
 * What is known of how long a job will run: what its script reports first, else what was learned from jobs like it, else what its user
 * said, as long as that can still be true; else what is assumed of any job. Never waits for anything.
 */
public final class LiveEstimator implements Estimator {
    /** Fewer jobs of its kind say less than a user who says something. */
    private static final int ENOUGH = 3;

    private static final double LOW = 0.1;
    private static final double HALF = 0.5;
    private static final double HIGH = 0.9;

    private final History history;
    private final ReportedTime reports;
    private final Calibration calibration;
    /** How fast jobs were when they last ran. */
    private final LongMap<Long> paces = new LongMap<>();

    public LiveEstimator(History history, ReportedTime reports) {
        this(history, reports, new Calibration());
    }

    LiveEstimator(History history, ReportedTime reports, Calibration calibration) {
        this.history = history;
        this.reports = reports;
        this.calibration = calibration;
    }

    /** For jobs that report nothing. */
    public static LiveEstimator withoutReports(History history) {
        return new LiveEstimator(history, new Reports());
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        Source source = source(job, nowMillis);
        return median(job, source, nowMillis);
    }

    /** An attempt that counts its steps leaves nothing to guess; how far users are to be believed is for policies to find out. */
    @Override
    public @Nullable Outlook outlook(JobView job, long nowMillis) {
        return switch (source(job, nowMillis)) {
            case REPORTED -> new Counted(job.doneWorkMillis(nowMillis), reported(job, nowMillis));
            case DECLARED -> null;
            case LEARNED, ASSUMED -> history.outlook(job, nowMillis);
        };
    }

    /** The same with how sure it is, and what it rests on. To ask for it changes no decision. */
    public RemainingTime remaining(JobView job, long nowMillis) {
        Source source = source(job, nowMillis);
        if (source == Source.LEARNED || source == Source.ASSUMED) {
            long[] left = history.quantilesMillis(job, nowMillis, LOW, HALF, HIGH);
            return new RemainingTime(left[0], left[1], left[2], source);
        }
        return calibration.around(median(job, source, nowMillis), source);
    }

    private Source source(JobView job, long nowMillis) {
        if (reported(job, nowMillis) > 0) {
            return Source.REPORTED;
        }
        if (history.seen(job) >= ENOUGH) {
            return Source.LEARNED;
        }
        return declared(job, nowMillis) > 0 ? Source.DECLARED : Source.ASSUMED;
    }

    private long median(JobView job, Source source, long nowMillis) {
        return switch (source) {
            case REPORTED -> reported(job, nowMillis);
            case DECLARED -> declared(job, nowMillis);
            case LEARNED, ASSUMED -> history.remainingMillis(job, nowMillis);
        };
    }

    /** What is left of what its user said; not positive when he said nothing, or when that is over. */
    private static long declared(JobView job, long nowMillis) {
        long declared = job.job().declaredMillis();
        return declared > 0 ? declared - job.doneWorkMillis(nowMillis) : -1;
    }

    private long reported(JobView job, long nowMillis) {
        boolean runs = job.state() == JobState.RUNNING;
        long counted = runs ? reports.remainingMillis(job.id(), job.attempt(), nowMillis) : -1;
        if (counted >= 0) {
            return work(counted, job.paceMicro());
        }
        // One that has just come back still has what it had left: forgotten, it would be paused for the very job it was
        // paused for.
        long left = job.attempt() == 0 || job.state().isFinal() ? -1 : reports.waitingMillis(job.id());
        if (left < 0) {
            return -1;
        }
        Long pace = paces.get(job.id());
        long ran = runs ? nowMillis - job.runningMillis() : 0;
        return work(Math.max(1, left - ran), pace == null ? Pace.UNIT : pace);
    }

    private static long work(long wallMillis, long paceMicro) {
        return wallMillis < 0 ? -1 : Math.max(1, Math.round((double) wallMillis * paceMicro / Pace.UNIT));
    }

    @Override
    public void noted(JobView job, long nowMillis) {
        history.noted(job, nowMillis);
        if (job.state() == JobState.RUNNING) {
            paces.put(job.id(), job.paceMicro());
        } else if (job.state().isFinal()) {
            paces.remove(job.id());
        }
    }

    @Override
    public long version(long nowMillis) {
        return history.version(nowMillis) + reports.version(nowMillis);
    }

    @Override
    public long nextMillis(long nowMillis) {
        return reports.nextMillis(nowMillis);
    }
}
