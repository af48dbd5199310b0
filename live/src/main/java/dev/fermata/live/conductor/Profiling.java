package dev.fermata.live.conductor;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Trial;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Learned;
import dev.fermata.live.learn.Measured;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What attempts teach while they go on, and what becomes of those that run first so that their kind is known. Such a one is asked to
 * leave once it has shown enough, if somebody waits for GPUs: then it is placed anew with what it needs, maybe beside others. Where
 * GPUs are left for everybody it goes on. Belongs to the conductor's thread.
 */
final class Profiling {
    private final Scheduler scheduler;
    private final Roster roster;
    private final Floor floor;
    private final Experience experience;
    private final LiveEstimator estimator;
    private final FactLines facts;
    /** Until when those that run first of their kind are waited for. */
    private final Map<Long, Long> ends = new LinkedHashMap<>();

    /** A line of the history: what an attempt that goes on has shown, and that its kind has learned it. */
    record Shown(int attempt, Measured measured, Learned learned) {}

    Profiling(
            Scheduler scheduler,
            Roster roster,
            Floor floor,
            Experience experience,
            LiveEstimator estimator,
            FactLines facts) {
        this.scheduler = scheduler;
        this.roster = roster;
        this.floor = floor;
        this.experience = experience;
        this.estimator = estimator;
        this.facts = facts;
        for (JobView job : scheduler.jobs()) {
            if (job.state().holdsGpus()) {
                begins(job);
            }
        }
    }

    private void begins(JobView job) {
        Trial trial = job.job().trial();
        if (!trial.isNone()) {
            ends.put(job.id(), job.startedMillis() + trial.waitMillis());
        }
    }

    /**
     * An attempt that goes on has shown enough to speak for its kind.
     *
     * @param begins whether the ledger has yet to hear that it runs
     */
    void hear(News.Shown news, boolean begins, Turn turn) {
        LiveJob job = roster.find(news.jobId());
        LiveRun run = job == null ? null : job.run;
        JobView view = scheduler.job(news.jobId());
        if (job == null || run == null || view == null || run.attempt != news.attempt()) {
            return;
        }
        boolean alone =
                !run.accompanied && floor.company(job.id, run.allocation).isEmpty();
        boolean runs = view.state() == JobState.RUNNING || (begins && view.state() == JobState.STARTING);
        if (!runs || !alone) {
            return; // its end will tell
        }
        Measured measured = news.measured().orAsBefore(run.shown);
        Learned learned = new Learned(experience.kind(job.family, run.allocation), Set.of(), -1, run.shown);
        experience.note(measured, learned, turn);
        run.shows(measured, facts.json().write(measured));
        turn.runs.add(run);
        turn.remarks.add(new Turn.Remark("engine", job.id, KindBook.SHOWN, new Shown(run.attempt, measured, learned)));
        Trial trial = view.job().trial();
        if (!trial.isNone()
                && !begins
                && makesWay(view, experience.of(job.family, job.spec).costs(), turn.nowMillis)) {
            // Those who wait hear of it when it has left: else its GPUs, still taken, would be promised whole to one of
            // them.
            turn.tell(new Event.Profiled(job.id, run.attempt));
        } else if (!trial.isNone()) {
            over(job, trial);
        } else {
            experience.taught(learned.kind());
        }
    }

    /** An attempt is gone: whatever it has shown, nobody waits for more of it. */
    void left(LiveJob job) {
        JobView view = scheduler.job(job.id);
        if (view != null && !view.job().trial().isNone()) {
            over(job, view.job().trial());
        }
    }

    private void over(LiveJob job, Trial trial) {
        ends.remove(job.id);
        experience.seen(trial);
        experience.changed(job.family, roster);
    }

    /** Those that were waited for long enough have shown nothing. */
    void look(long nowMillis) {
        for (long id : Set.copyOf(ends.keySet())) {
            LiveJob job = roster.find(id);
            JobView view = scheduler.job(id);
            if (job == null || view == null || view.job().trial().isNone()) {
                ends.remove(id);
            } else if (ends.getOrDefault(id, 0L) <= nowMillis) {
                over(job, view.job().trial());
            }
        }
    }

    void heard(Fact fact) {
        if (fact instanceof Fact.Started) {
            JobView job = scheduler.job(fact.jobId());
            if (job != null) {
                begins(job);
            }
        } else if (fact instanceof Fact.Promised) {
            LiveJob job = roster.find(fact.jobId());
            JobView view = scheduler.job(fact.jobId());
            if (job != null && view != null && !view.job().trial().isNone()) {
                experience.changed(job); // others were paused for it: it is no trial, and goes on
            }
        }
    }

    /** When it must be looked at again. */
    long nextMillis() {
        long next = Plan.NEVER;
        for (long end : ends.values()) {
            next = Math.min(next, end);
        }
        return next;
    }

    /** Whether it is worth while to let it leave: somebody waits, it may be paused, and has more to do than that costs. */
    private boolean makesWay(JobView job, Costs costs, long nowMillis) {
        return job.preemptions() < job.job().maxPreemptions()
                && job.settlesMillis() <= nowMillis
                && estimator.remainingMillis(job, nowMillis) > costs.pauseMillis() + costs.reloadMillis()
                && scarce(scheduler.view());
    }

    private boolean waitsForAnother(Job job) {
        return job.after().stream().anyMatch(after -> roster.find(after.jobId()) != null);
    }

    /** Whether more jobs could start than there are free GPUs. */
    private boolean scarce(View view) {
        int free = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            free += view.space().available(type, Horizon.NOW);
        }
        for (LiveJob job : roster.all()) {
            JobView waiting = job.state == JobState.PENDING && !job.onHold ? scheduler.job(job.id) : null;
            free -= waiting == null || waitsForAnother(waiting.job())
                    ? 0
                    : waiting.job().demand().minGpus();
            if (free < 0) {
                return true;
            }
        }
        return false;
    }
}
