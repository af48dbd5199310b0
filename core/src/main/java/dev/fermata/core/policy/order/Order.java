package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Rank;

/** Who is most deserving. An order may remember what it learned from jobs it saw, nothing else. */
public interface Order extends Book.Ranking {
    /** No expected end is further away than this, however slow the job. */
    double FOREVER_MILLIS = 1e12;

    /** Rank of a running job; orders that never preempt need none. */
    @Override
    default Rank running(JobView job, View view) {
        return waiting(job, view);
    }

    @Override
    default long protectedUntilMillis(JobView job, long nowMillis) {
        return 0;
    }

    @Override
    default boolean ended(JobView job, View view) {
        return false;
    }

    @Override
    default boolean ranksStarting() {
        return false;
    }

    @Override
    default long longestRunMillis(JobView job, View view) {
        double slowest = Double.POSITIVE_INFINITY;
        for (int type : job.typesByPreference()) {
            slowest = Math.min(
                    slowest, job.job().profile().speedOn(view.topology().types().get(type)));
        }
        return job.job().costs().loadMillis(job.resumed()) + (long) Math.ceil(view.remainingMillis(job) / slowest);
    }

    /** Whether nobody may overtake a waiting job of this rank, even if it does not fit. */
    default boolean holdsBack(Rank rank) {
        return false;
    }

    /** What this order takes a job to need still, in reference-milliseconds. */
    default long remainingMillis(JobView job, View view) {
        return view.remainingMillis(job);
    }

    /** The stint of this job that gains most where a completion is worth this much work: all of it, where that is known. */
    default Outlook.Stint stint(JobView job, View view, double worthMillis) {
        return new Outlook.Stint(1, remainingMillis(job, view));
    }

    /** Higher priorities stand in lower levels, whatever the order inside a level. */
    static int level(JobView job) {
        return -job.job().priority();
    }

    /** The pace a loading job will have on the GPUs it got. */
    private static long predictedPace(JobView job, View view) {
        Allocation held = job.allocation();
        return held == null
                ? Pace.UNIT
                : SpeedModel.alone(job.job(), held, view.topology()).micro();
    }

    /** When a running job will have done more than this much work from now on, at its present pace. */
    static long afterWorkMillis(JobView job, View view, double workMillis) {
        double millis = workMillis * Pace.UNIT / Math.max(1, job.paceMicro());
        return view.nowMillis() + 1 + (long) Math.min(FOREVER_MILLIS, millis);
    }

    /** When what is expected of a running job no longer holds. */
    static long outlookEndMillis(JobView job, View view, Outlook outlook) {
        return afterWorkMillis(job, view, (double) outlook.untilWorkMillis() - job.doneWorkMillis(view.nowMillis()));
    }

    /** When a job on GPUs is expected to end at its present pace, loading included. */
    static long expectedEndMillis(JobView job, View view) {
        return expectedEndMillis(job, view, view.remainingMillis(job));
    }

    /** When a job on GPUs is expected to end if it needs this much work still. */
    static long expectedEndMillis(JobView job, View view, long remainingMillis) {
        long loaded = view.nowMillis();
        if (job.state() == JobState.STARTING) {
            loaded = Math.max(loaded, job.startedMillis() + job.job().costs().loadMillis(job.resumed()));
        }
        long pace = job.paceMicro() > 0 ? job.paceMicro() : predictedPace(job, view);
        double millis = Math.ceil((double) remainingMillis * Pace.UNIT / pace);
        return loaded + Math.max(1, (long) Math.min(millis, FOREVER_MILLIS));
    }
}
