package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.ranking.Rank;
import dev.fermata.core.policy.ranking.RankedJobs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ranks jobs. An order may remember what it learned from jobs it saw, nothing else. */
public interface JobOrder extends RankedJobs.Ranking {
    /** No expected end is further away than this, however slow the job. */
    double MAX_HORIZON_MILLIS = 1e12;

    /** Rank of a running job; orders that never preempt need none. */
    @Override
    default Rank running(JobView job, View view) {
        return waiting(job, view);
    }

    /** The order that it follows now, or null if that never changes. */
    default @Nullable OrderChoice orderChoice() {
        return null;
    }

    /** What it remembers and no view shows again. */
    default List<Long> memory() {
        return List.of();
    }

    /** Continues from what another instance remembered, before the first decision. */
    default void restoreMemory(List<Long> values) {}

    @Override
    default long protectedUntilMillis(JobView job, long nowMillis) {
        return 0;
    }

    @Override
    default boolean observeEnd(JobView job, View view) {
        return false;
    }

    @Override
    default boolean ranksStarting() {
        return false;
    }

    @Override
    default long maxRunMillis(JobView job, View view) {
        double slowest = Double.POSITIVE_INFINITY;
        for (int type : job.typesByPreference()) {
            slowest = Math.min(
                    slowest, job.job().profile().speedOn(view.topology().types().get(type)));
        }
        return job.job().costs().loadMillis(job.resumed()) + (long) Math.ceil(view.remainingMillis(job) / slowest);
    }

    /** Whether no job may overtake a waiting job of this rank, even if it does not fit. */
    default boolean blocksOthers(Rank rank) {
        return false;
    }

    /** What this order takes a job to need still, in reference-milliseconds. */
    default long remainingMillis(JobView job, View view) {
        return view.remainingMillis(job);
    }

    /** The run with the largest value of its completion less its work: the whole remainder, where that is known. */
    default RuntimeEstimate.Quantum bestQuantum(JobView job, View view, double completionValueMillis) {
        return new RuntimeEstimate.Quantum(1, remainingMillis(job, view));
    }

    /** Higher priorities stand in lower levels, whatever the order inside a level. */
    static int priorityLevel(JobView job) {
        return -job.job().priority();
    }

    /** The speed a loading job will have on its GPUs. */
    private static long predictedSpeed(JobView job, View view) {
        Allocation held = job.allocation();
        return held == null
                ? Speed.UNIT
                : SpeedModel.speedAlone(job.job(), held, view.topology()).micro();
    }

    /** When a running job will have done more than this much work from now on, at its present speed. */
    static long afterWorkMillis(JobView job, View view, double workMillis) {
        double millis = workMillis * Speed.UNIT / Math.max(1, job.speedMicro());
        return view.nowMillis() + 1 + (long) Math.min(MAX_HORIZON_MILLIS, millis);
    }

    /** When what is expected of a running job no longer holds. */
    static long estimateExpiresMillis(JobView job, View view, RuntimeEstimate estimate) {
        return afterWorkMillis(
                job, view, (double) estimate.validUntilWorkMillis() - job.doneWorkMillis(view.nowMillis()));
    }

    /** When a job on GPUs is expected to end at its present speed, loading included. */
    static long predictedEndMillis(JobView job, View view) {
        return predictedEndMillis(job, view, view.remainingMillis(job));
    }

    /** When a job on GPUs is expected to end if it needs this much work still. */
    static long predictedEndMillis(JobView job, View view, long remainingMillis) {
        long loaded = view.nowMillis();
        if (job.state() == JobState.STARTING) {
            loaded = Math.max(loaded, job.startedMillis() + job.job().costs().loadMillis(job.resumed()));
        }
        long speed = job.speedMicro() > 0 ? job.speedMicro() : predictedSpeed(job, view);
        double millis = Math.ceil((double) remainingMillis * Speed.UNIT / speed);
        return loaded + Math.max(1, (long) Math.min(millis, MAX_HORIZON_MILLIS));
    }
}
