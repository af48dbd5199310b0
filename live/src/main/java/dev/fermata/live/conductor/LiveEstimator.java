package dev.fermata.live.conductor;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.estimate.History;
import dev.fermata.core.model.Pace;
import org.jspecify.annotations.Nullable;

/**
 * What is known of how long a job will run: what its script reports first, else what its user said, else what was learned from those
 * that ran before. Never waits for anything.
 */
public final class LiveEstimator implements Estimator {
    private final History history;
    private final ReportedTime reports;

    public LiveEstimator(History history, ReportedTime reports) {
        this.history = history;
        this.reports = reports;
    }

    /** For jobs that report nothing. */
    public static LiveEstimator withoutReports(History history) {
        return new LiveEstimator(history, new Reports());
    }

    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        long told = told(job, nowMillis);
        return told > 0 ? told : history.remainingMillis(job, nowMillis);
    }

    /** An attempt that counts its steps, or a user who says how long it takes, leaves nothing to guess. */
    @Override
    public @Nullable Outlook outlook(JobView job, long nowMillis) {
        return told(job, nowMillis) > 0 ? null : history.outlook(job, nowMillis);
    }

    /** What its script reports, else what its user said, as long as that can still be true; -1 when neither said anything. */
    private long told(JobView job, long nowMillis) {
        long reported = reported(job, nowMillis);
        if (reported > 0) {
            return reported;
        }
        long declared = job.job().declaredMillis() - job.doneWorkMillis(nowMillis);
        return job.job().declaredMillis() > 0 && declared > 0 ? declared : -1;
    }

    private long reported(JobView job, long nowMillis) {
        if (job.state() != JobState.RUNNING) {
            return -1;
        }
        long wall = reports.remainingMillis(job.id(), job.attempt(), nowMillis);
        return wall < 0 ? -1 : Math.max(1, Math.round((double) wall * job.paceMicro() / Pace.UNIT));
    }

    @Override
    public void noted(JobView job, long nowMillis) {
        history.noted(job, nowMillis);
    }

    @Override
    public long version() {
        return history.version() + reports.version();
    }
}
