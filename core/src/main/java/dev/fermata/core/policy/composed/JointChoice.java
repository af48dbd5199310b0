package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.WaitingJobs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses GPU types and sizes of several jobs together, instead of each taking or declining what is free in turn. The
 * account is the sum of completion times of the first few jobs, by when GPUs are expected to come free.
 *
 * <p>After JPS (Liu et al., IEEE TPDS 35(6), 2024), with time: jobs that do better to wait for a faster type wait. Types
 * of the jobs that start now are divided exactly. A gang stays on one type. What starts in turn is the choice unless
 * another is better, and no job that would start in turn is kept waiting. A waiting gang of fixed size keeps to what it
 * accepts: starting it earlier on a slower type made mean completion times longer.
 */
public final class JointChoice {
    /** A job and what it is to start on. */
    record Choice(RankedJob entry, int type, int gpus) {}

    /** A smaller gain is within what estimates are worth. */
    private static final double MIN_GAIN = 0.001;

    private final int maxJobs;
    private @Nullable ExpectedEnds ends;

    /** @param maxJobs jobs considered together; with one, each is placed in turn */
    public JointChoice(int maxJobs) {
        this.maxJobs = maxJobs;
    }

    /** Applies which jobs came and went since the last decision. */
    void update(View view) {
        int types = view.topology().types().size();
        if (types > 1 && maxJobs > 1) {
            ends = ends == null ? new ExpectedEnds(types) : ends;
            ends.update(view);
        }
    }

    /** What jobs should start on, those of the plan among them, in rank order; empty when the plan is as good. */
    List<Choice> improve(View view, RankedJobs rankedJobs, LocalityTolerance tolerance, List<Action> plan) {
        ExpectedEnds known = ends;
        if (known == null || !anyFree(view, plan)) {
            return List.of();
        }
        List<Choice> inTurn = starts(view, rankedJobs, plan);
        List<RankedJob> jobs = firstWaiting(rankedJobs, maxJobs - inTurn.size());
        if (inTurn.size() + jobs.size() < 2) {
            return List.of();
        }
        long wake = Long.MAX_VALUE;
        for (RankedJob job : jobs) {
            long relaxes = tolerance.relaxesAtMillis(job.job());
            wake = relaxes < 0 ? wake : Math.min(wake, relaxes);
        }
        Set<Long> started = new HashSet<>();
        inTurn.forEach(choice -> started.add(choice.entry.job().id()));
        inTurn.forEach(choice -> jobs.add(choice.entry));
        jobs.sort((a, b) -> RankedJob.compareAt(a, b, view.nowMillis()));
        ListSchedule schedule = new ListSchedule(view, known, inTurn, jobs, wake);
        return schedule.best(started, MIN_GAIN);
    }

    /** Whether a job could start on anything at all that the plan leaves or takes. */
    private static boolean anyFree(View view, List<Action> plan) {
        for (int t = 0; t < view.topology().types().size(); t++) {
            if (view.draft().capacity().available(t, Horizon.NOW) > 0) {
                return true;
            }
        }
        return plan.size() > 1;
    }

    /** Whether a plan starts all jobs that an earlier one starts, and those chosen. */
    static boolean startsAll(List<Action> plan, List<Action> before, List<Choice> choices) {
        Set<Long> now = new HashSet<>();
        for (Action action : plan) {
            if (action instanceof Action.Start start) {
                now.add(start.jobId());
            }
        }
        return before.stream()
                        .allMatch(action -> !(action instanceof Action.Start start) || now.contains(start.jobId()))
                && choices.stream()
                        .allMatch(choice -> now.contains(choice.entry.job().id()));
    }

    /** Jobs that the plan starts on whole GPUs of their own, without CPU or RAM to find on their nodes. */
    private List<Choice> starts(View view, RankedJobs rankedJobs, List<Action> plan) {
        FreeCapacity after = view.draft().capacity();
        List<Choice> starts = new ArrayList<>();
        for (Action action : plan) {
            if (action instanceof Action.Start start && starts.size() < maxJobs) {
                JobView job = view.job(start.jobId());
                RankedJob entry = job == null ? null : rankedJobs.entry(job);
                boolean alone = entry != null && isSimple(entry);
                for (int i = 0; alone && i < start.allocation().size(); i++) {
                    alone = after.jobsOn(start.allocation().gpu(i)) == 1;
                }
                if (alone && entry != null) {
                    int type = view.topology().typeOf(start.allocation().gpu(0));
                    starts.add(new Choice(entry, type, start.allocation().size()));
                }
            }
        }
        return starts;
    }

    private static boolean isSimple(RankedJob entry) {
        Demand demand = entry.job().job().demand();
        return entry.job().suspension() == null && !demand.needsHostResources() && !demand.isFractional();
    }

    private record QueueHead(WaitingJobs.DemandClass demandClass, RankedJob entry) {}

    /** The first few waiting jobs of elastic size in rank order. */
    private static List<RankedJob> firstWaiting(RankedJobs rankedJobs, int count) {
        PriorityQueue<QueueHead> queue = new PriorityQueue<>((a, b) -> WaitingJobs.compare(a.entry, b.entry));
        for (WaitingJobs.DemandClass demandClass : rankedJobs.waiting().demandClasses()) {
            Demand demand = demandClass.head().job().job().demand(); // that of all its jobs
            if (isSimple(demandClass.head()) && demand.minGpus() < demand.maxGpus()) {
                queue.add(new QueueHead(demandClass, demandClass.head()));
            }
        }
        List<RankedJob> found = new ArrayList<>();
        while (found.size() < count && !queue.isEmpty()) {
            QueueHead next = queue.remove();
            found.add(next.entry);
            RankedJob after = next.demandClass.tree().firstNotLongerThan(next.entry, Long.MAX_VALUE);
            if (after != null) {
                queue.add(new QueueHead(next.demandClass, after));
            }
        }
        return found;
    }
}
