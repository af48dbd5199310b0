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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Running jobs that are farther apart than they need be, and where they could move. It makes at most one move a
 * decision, after the pending jobs were served, to free GPUs, and never before the job has run for a lease. Looks when
 * capacity appeared or such a lease ended; O(spread jobs) then.
 */
final class ConsolidatingMoves {
    private final long leaseMillis;
    private final boolean onlyIfWorthIt;
    private final Placement close = new Consolidate();
    private final Map<Long, JobView> spreadJobs = new TreeMap<>();
    private long seenVersion = -1;
    private long nextCheckMillis = Plan.NEVER;

    /** @param onlyIfWorthIt move only if a lease at the better speed wins back what the move costs */
    ConsolidatingMoves(long leaseMillis, boolean onlyIfWorthIt) {
        this.leaseMillis = leaseMillis;
        this.onlyIfWorthIt = onlyIfWorthIt;
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
        return Math.max(job.runningMillis() + leaseMillis, job.preemptibleFromMillis());
    }

    private static boolean couldBeCloser(Allocation held, Topology topology) {
        Shape tightest = topology.tightest(topology.typeOf(held.gpu(0)), held.size());
        return held.tier().compareTo(tightest.tier()) > 0;
    }

    /** The plan, with a move added if one is to be had. */
    Plan addMove(Plan plan, View view) {
        if (spreadJobs.isEmpty()) {
            nextCheckMillis = Plan.NEVER;
            return plan;
        }
        Action move = null;
        if (view.capacityVersion() != seenVersion || nextCheckMillis <= view.nowMillis()) {
            seenVersion = view.capacityVersion();
            move = firstMove(view, plan);
        }
        if (move == null && nextCheckMillis >= plan.reconsiderAtMillis()) {
            return plan;
        }
        List<Action> actions = new ArrayList<>(plan.actions());
        if (move != null) {
            actions.add(move);
        }
        return new Plan(
                actions, plan.declined(), plan.pendingReasons(), Math.min(plan.reconsiderAtMillis(), nextCheckMillis));
    }

    private @Nullable Action firstMove(View view, Plan plan) {
        Set<Long> vacating = new HashSet<>();
        for (Action action : plan.actions()) {
            vacating.addAll(action.victims());
        }
        nextCheckMillis = Plan.NEVER;
        Action found = null;
        for (JobView job : spreadJobs.values()) {
            long settled = movableFromMillis(job);
            if (settled > view.nowMillis()) {
                nextCheckMillis = Math.min(nextCheckMillis, settled);
            } else if (found == null && !vacating.contains(job.id())) {
                found = tryMove(job, view);
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
        long jobSpeed = SpeedModel.speedAlone(job.job(), there, view.topology()).micro();
        double gained = (double) (jobSpeed - job.speedMicro()) * leaseMillis;
        return !onlyIfWorthIt || gained > (double) jobSpeed * job.job().preemptionOverheadMillis();
    }
}
