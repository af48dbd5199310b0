package dev.fermata.insight.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Speed;
import dev.fermata.history.ReportedRemainingTime;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.HashMap;
import java.util.Map;

/**
 * What scripts that count their steps report in a simulation. As live, nothing at first; the remaining time once an
 * attempt has run long enough for two reports; and an update whenever it has run twice as long.
 */
final class SimulatedStepReports implements ReportedRemainingTime {
    /** A running attempt: since when it works, and when its remaining time is known. */
    private record RunningAttempt(long sinceMillis, long knownAfterMillis) {
        /** Number of reports: the first when the time is known, then whenever it has run twice as long. */
        int reports(long nowMillis) {
            return nowMillis < sinceMillis
                    ? 0
                    : Long.SIZE - Long.numberOfLeadingZeros((nowMillis - sinceMillis) / knownAfterMillis);
        }
    }

    private final SimulatedEngine engine;
    private final Map<Long, StepReporting> stepReporting;
    private final Map<Long, RunningAttempt> running = new HashMap<>();
    /** The last speed of jobs that count steps; while pending, they know their remaining work. */
    private final Map<Long, Long> speeds = new HashMap<>();

    /** The remaining work that they reported then. */
    private final Map<Long, Long> remainingWork = new HashMap<>();

    private long earlierReports;

    SimulatedStepReports(SimulatedEngine engine, Map<Long, StepReporting> stepReporting) {
        this.engine = engine;
        this.stepReporting = stepReporting;
    }

    /** Receives a record about a job. */
    void onJobChanged(JobView job, long now) {
        StepReporting how = stepReporting.get(job.id());
        if (how == null) {
            return;
        }
        if (job.state() == JobState.RUNNING) {
            running.putIfAbsent(
                    job.id(),
                    new RunningAttempt(
                            engine.loadedMillis(job.id()),
                            how.attemptReporting(job.attempt()).knownAfterMillis()));
            speeds.put(job.id(), job.speedMicro());
        } else {
            onStopped(job, how, now);
        }
    }

    private void onStopped(JobView job, StepReporting how, long now) {
        RunningAttempt runs = running.remove(job.id());
        if (runs != null) {
            earlierReports += runs.reports(now);
            StepReporting.AttemptReporting reporting = how.attemptReporting(job.attempt());
            if (now - runs.sinceMillis >= reporting.knownAtEndAfterMillis()) {
                remainingWork.put(
                        job.id(), Math.round(engine.remainingMillis(job.id(), now) * reporting.estimateFactor()));
            }
        }
        if (job.state().isFinal()) {
            speeds.remove(job.id());
            remainingWork.remove(job.id());
        }
    }

    @Override
    public long pendingMillis(long job) {
        Long work = remainingWork.get(job);
        Long speed = speeds.get(job);
        return work == null || speed == null || speed <= 0 ? -1 : Math.max(1, work * Speed.UNIT / speed);
    }

    @Override
    public long remainingMillis(long job, int attempt, long now) {
        StepReporting how = stepReporting.get(job);
        if (how == null) {
            return -1;
        }
        StepReporting.AttemptReporting reporting = how.attemptReporting(attempt);
        long really = engine.countedRemainingMillis(job, attempt, now, reporting.knownAfterMillis());
        return really < 0 ? -1 : Math.round(really * reporting.estimateFactor());
    }

    @Override
    public long version(long now) {
        long version = earlierReports;
        for (RunningAttempt runs : running.values()) {
            version += runs.reports(now);
        }
        return version;
    }

    @Override
    public long nextMillis(long now) {
        long next = Plan.NEVER;
        for (RunningAttempt runs : running.values()) {
            long known = runs.sinceMillis + runs.knownAfterMillis;
            next = known > now ? Math.min(next, known) : next;
        }
        return next;
    }
}
