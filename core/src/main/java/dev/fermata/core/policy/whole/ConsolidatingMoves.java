package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.place.Consolidate;
import dev.fermata.core.policy.place.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Running jobs that are farther apart than they need be, and where they could move: to free GPUs. Looks when capacity
 * appeared or a job may move again; O(spread jobs) then.
 */
final class ConsolidatingMoves {
    private static final Comparator<JobView> BY_ID = Comparator.comparingLong(JobView::id);
    private static final Comparator<JobView> LATEST_START_FIRST =
            Comparator.comparingLong(JobView::startedMillis).reversed().thenComparing(BY_ID);

    /** A move must win back its cost within this; 0 where every move is made. */
    private final long worthWithinMillis;

    private final long minRunMillis;
    private final int maxMoves;
    private final Comparator<JobView> order;
    private final Placement close = new Consolidate();
    private final Map<Long, JobView> spreadJobs = new TreeMap<>();
    private long seenVersion = -1;
    private long nextCheckMillis = Plan.NEVER;

    private ConsolidatingMoves(long worthWithinMillis, long minRunMillis, int maxMoves, Comparator<JobView> order) {
        this.worthWithinMillis = worthWithinMillis;
        this.minRunMillis = minRunMillis;
        this.maxMoves = maxMoves;
        this.order = order;
    }

    /** One move a decision, of a job that has run for a lease, if a lease at the better speed wins back the cost. */
    static ConsolidatingMoves afterLeases(long leaseMillis) {
        return new ConsolidatingMoves(leaseMillis, leaseMillis, 1, BY_ID);
    }

    /** Every move there is room for, whatever it costs and however short a job has run; latest-started first. */
    static ConsolidatingMoves always() {
        return new ConsolidatingMoves(0, 0, Integer.MAX_VALUE, LATEST_START_FIRST);
    }

    /** Takes note of a job that changed. */
    void observe(JobView job, Topology topology) {
        spreadJobs.remove(job.id());
        Allocation held = job.allocation();
        if (job.state() == JobState.RUNNING && held != null && couldBeCloser(held, topology)) {
            spreadJobs.put(job.id(), job);
            nextCheckMillis = Math.min(nextCheckMillis, movableFromMillis(job));
        }
    }

    private long movableFromMillis(JobView job) {
        return Math.max(job.runningMillis() + minRunMillis, job.preemptibleFromMillis());
    }

    private static boolean couldBeCloser(Allocation held, Topology topology) {
        Shape tightest = topology.tightest(topology.typeOf(held.gpu(0)), held.size());
        return held.tier().compareTo(tightest.tier()) > 0;
    }

    /** Moves to make before pending jobs are served, of jobs that go before all of them. */
    List<Action> movesBefore(View view, Predicate<JobView> goesFirst) {
        return isDue(view) ? findMoves(view, goesFirst) : List.of();
    }

    /** The plan, with further moves added that are to be had. */
    Plan addMoves(Plan plan, View view) {
        if (spreadJobs.isEmpty()) {
            nextCheckMillis = Plan.NEVER;
            return plan;
        }
        List<Action> moves = List.of();
        if (isDue(view)) {
            seenVersion = view.capacityVersion();
            nextCheckMillis = nextSettledMillis(view.nowMillis());
            Set<Long> busy = new HashSet<>();
            for (Action action : plan.actions()) {
                busy.addAll(action.victims());
                busy.add(action.jobId());
            }
            moves = findMoves(view, job -> !busy.contains(job.id()));
        }
        if (moves.isEmpty() && nextCheckMillis >= plan.reconsiderAtMillis()) {
            return plan;
        }
        List<Action> actions = new ArrayList<>(plan.actions());
        actions.addAll(moves);
        return new Plan(
                actions, plan.declined(), plan.pendingReasons(), Math.min(plan.reconsiderAtMillis(), nextCheckMillis));
    }

    private boolean isDue(View view) {
        return view.capacityVersion() != seenVersion || nextCheckMillis <= view.nowMillis();
    }

    private long nextSettledMillis(long nowMillis) {
        return spreadJobs.values().stream()
                .mapToLong(this::movableFromMillis)
                .filter(settled -> settled > nowMillis)
                .min()
                .orElse(Plan.NEVER);
    }

    private List<Action> findMoves(View view, Predicate<JobView> condition) {
        List<Action> found = new ArrayList<>();
        List<JobView> candidates = new ArrayList<>(spreadJobs.values());
        candidates.sort(order);
        for (JobView job : candidates) {
            boolean settled = movableFromMillis(job) <= view.nowMillis();
            Action move = settled && found.size() < maxMoves && condition.test(job) ? tryMove(job, view) : null;
            if (move != null) {
                found.add(move);
            }
        }
        return found;
    }

    private @Nullable Action tryMove(JobView job, View view) {
        Allocation here = job.allocation();
        if (here == null || job.preemptions() >= job.job().maxPreemptions()) {
            return null;
        }
        int type = view.topology().typeOf(here.gpu(0));
        Allocation there = close.choose(view.draft().capacity(), job, type, here.size(), Horizon.NOW);
        if (there == null || there.tier().compareTo(here.tier()) >= 0 || !isWorthIt(job, there, view)) {
            return null;
        }
        view.draft().allocate(job, there);
        return new Action.Move(job.id(), there);
    }

    private boolean isWorthIt(JobView job, Allocation there, View view) {
        if (worthWithinMillis == 0) {
            return true;
        }
        long jobSpeed = SpeedModel.speedAlone(job.job(), there, view.topology()).micro();
        double gained = (double) (jobSpeed - job.speedMicro()) * worthWithinMillis;
        return gained > (double) jobSpeed * job.job().preemptionOverheadMillis();
    }
}
