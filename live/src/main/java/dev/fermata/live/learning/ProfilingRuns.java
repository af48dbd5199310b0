package dev.fermata.live.learning;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileStore;
import dev.fermata.live.profile.ProfileUpdate;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Measurements of running attempts, and the profiling runs of keys without a profile. A profiling run with enough
 * evidence is preempted if jobs wait for GPUs: it is placed again with its measured needs, perhaps co-located.
 * It continues if enough GPUs are free. Only the scheduler loop's thread uses it.
 */
public final class ProfilingRuns
        implements RecordReader.IgnoresJobs,
                RecordReader.IgnoresAttempts,
                RecordReader.IgnoresReservations,
                RecordReader.IgnoresCluster,
                RecordReader.IgnoresDeclines {
    private final Scheduler scheduler;
    private final LiveJobIndex liveJobs;
    private final ProfileService profiles;
    private final RemainingTimeEstimator estimator;
    private final HistoryCodec codec;
    /** Until when other jobs wait for a profiling run, by job id. */
    private final Map<Long, Long> deadlines = new LinkedHashMap<>();

    /** Body of a history entry: measurements of a running attempt and the profile update they caused. */
    record AttemptMeasured(int attempt, AttemptMeasurements measured, ProfileUpdate profileUpdate) {}

    public ProfilingRuns(
            Scheduler scheduler,
            LiveJobIndex liveJobs,
            ProfileService profiles,
            RemainingTimeEstimator estimator,
            HistoryCodec codec) {
        this.scheduler = scheduler;
        this.liveJobs = liveJobs;
        this.profiles = profiles;
        this.estimator = estimator;
        this.codec = codec;
        for (JobView job : scheduler.jobs()) {
            if (job.state().holdsGpus()) {
                trackRun(job);
            }
        }
    }

    private void trackRun(JobView job) {
        ProfileFirst probe = job.job().profileFirst();
        if (!probe.isNone()) {
            deadlines.put(job.id(), job.startedMillis() + probe.waitMillis());
        }
    }

    /**
     * Accepts measurements of a running attempt.
     *
     * @param begins whether the event that it runs is in the same inbox and not handled yet
     */
    public void accept(EngineEvent.MeasurementsReported update, boolean begins, LearningOutput output) {
        LiveJob job = liveJobs.find(update.jobId());
        LiveAttempt run = job == null ? null : job.liveAttempt;
        JobView view = scheduler.job(update.jobId());
        if (job == null || run == null || view == null || run.attempt != update.attempt()) {
            return;
        }
        boolean alone = !run.coLocated
                && scheduler.gpuUse().neighbours(job.id, run.allocation).isEmpty();
        boolean runs = view.state() == JobState.RUNNING || (begins && view.state() == JobState.STARTING);
        if (!runs || !alone) {
            return; // it is measured when it ends
        }
        AttemptMeasurements measured = update.measurements().orEarlier(run.observed);
        ProfileUpdate profileUpdate =
                new ProfileUpdate(profiles.keyOf(job.programKey, run.allocation), Set.of(), -1, run.observed);
        profiles.record(measured, profileUpdate, output);
        run.recordObserved(measured, codec.json().writeStored(measured));
        output.addChangedAttempt(run);
        output.addEntry(
                "engine",
                job.id,
                ProfileStore.ATTEMPT_MEASURED,
                new AttemptMeasured(run.attempt, measured, profileUpdate));
        ProfileFirst probe = view.job().profileFirst();
        if (!probe.isNone()
                && !begins
                && shouldYield(
                        view, profiles.estimateFor(job.programKey, job.spec).costs(), output.nowMillis())) {
            // The waiting jobs are updated when it has left: otherwise one of them would reserve all of its GPUs.
            output.addEvent(new Event.Profiled(job.id, run.attempt));
        } else if (!probe.isNone()) {
            finish(job, probe);
        } else {
            profiles.markUpdated(profileUpdate.profileKey());
        }
    }

    /** The attempt has ended; no job waits for its profile any more. */
    public void endRun(LiveJob job) {
        JobView view = scheduler.job(job.id);
        if (view != null && !view.job().profileFirst().isNone()) {
            finish(job, view.job().profileFirst());
        }
    }

    private void finish(LiveJob job, ProfileFirst probe) {
        deadlines.remove(job.id);
        profiles.markProfiled(probe);
        profiles.markStale(job.programKey, liveJobs);
    }

    /** Ends the wait for profiling runs whose deadline has passed. */
    public void expire(long nowMillis) {
        for (long id : Set.copyOf(deadlines.keySet())) {
            LiveJob job = liveJobs.find(id);
            JobView view = scheduler.job(id);
            if (job == null || view == null || view.job().profileFirst().isNone()) {
                deadlines.remove(id);
            } else if (deadlines.getOrDefault(id, 0L) <= nowMillis) {
                finish(job, view.job().profileFirst());
            }
        }
    }

    @Override
    public void started(long nowMillis, HistoryRecord.Started record) {
        JobView view = scheduler.job(record.jobId());
        if (view != null) {
            trackRun(view);
        }
    }

    @Override
    public void reserved(long nowMillis, HistoryRecord.Reserved record) {
        LiveJob job = liveJobs.find(record.jobId());
        JobView view = scheduler.job(record.jobId());
        if (job != null && view != null && !view.job().profileFirst().isNone()) {
            profiles.markStale(job); // jobs were preempted for it: it is no profiling run and continues
        }
    }

    /** When the next deadline passes. */
    public long nextMillis() {
        long next = Plan.NEVER;
        for (long end : deadlines.values()) {
            next = Math.min(next, end);
        }
        return next;
    }

    /** Whether to preempt the profiling run: jobs wait, it is preemptible, and its remaining work exceeds the cost. */
    private boolean shouldYield(JobView job, Costs costs, long nowMillis) {
        return job.preemptions() < job.job().maxPreemptions()
                && job.preemptibleFromMillis() <= nowMillis
                && estimator.remainingMillis(job, nowMillis) > costs.preemptMillis() + costs.reloadMillis()
                && areGpusScarce(scheduler.view());
    }

    private boolean hasOpenDependency(Job job) {
        return job.dependencies().stream().anyMatch(after -> liveJobs.find(after.jobId()) != null);
    }

    /** Whether the pending jobs need more GPUs than are free. */
    private boolean areGpusScarce(View view) {
        int free = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            free += view.capacity().available(type, Horizon.NOW);
        }
        for (LiveJob job : liveJobs.all()) {
            JobView waiting = job.state() == JobState.PENDING && !job.isHeldByUser() ? scheduler.job(job.id) : null;
            free -= waiting == null || hasOpenDependency(waiting.job())
                    ? 0
                    : waiting.job().demand().minGpus();
            if (free < 0) {
                return true;
            }
        }
        return false;
    }
}
