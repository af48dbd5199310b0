package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
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
 * Running jobs that are farther apart than they need be, and where they could move: at most one move a decision, after
 * those who wait were served, to GPUs that are free, never before the job has run for a lease. Looks when capacity
 * appeared or such a lease ended; O(spread jobs) then.
 */
final class CloserMoves {
    private final long leaseMillis;
    private final boolean worthwhileOnly;
    private final Placement close = new Consolidate();
    private final Map<Long, JobView> spread = new TreeMap<>();
    private long seenVersion = -1;
    private long lookAtMillis = Plan.NEVER;

    /** @param worthwhileOnly move only if a lease at the better pace wins back what the move costs */
    CloserMoves(long leaseMillis, boolean worthwhileOnly) {
        this.leaseMillis = leaseMillis;
        this.worthwhileOnly = worthwhileOnly;
    }

    /** Takes note of a job that changed. */
    void note(JobView job, Topology topology) {
        spread.remove(job.id());
        Allocation held = job.allocation();
        if (job.state() == JobState.RUNNING && held != null && couldBeCloser(held, topology)) {
            spread.put(job.id(), job);
            lookAtMillis = Math.min(lookAtMillis, settledMillis(job));
        }
    }

    private long settledMillis(JobView job) {
        return Math.max(job.runningMillis() + leaseMillis, job.settlesMillis());
    }

    private static boolean couldBeCloser(Allocation held, Topology topology) {
        Shape tightest = topology.tightest(topology.typeOf(held.gpu(0)), held.size());
        return held.tier().compareTo(tightest.tier()) > 0;
    }

    /** The plan, with a move added if one is to be had. */
    Plan after(Plan plan, View view) {
        if (spread.isEmpty()) {
            lookAtMillis = Plan.NEVER;
            return plan;
        }
        Action move = null;
        if (view.capacityVersion() != seenVersion || lookAtMillis <= view.nowMillis()) {
            seenVersion = view.capacityVersion();
            move = first(view, plan);
        }
        if (move == null && lookAtMillis >= plan.reconsiderAtMillis()) {
            return plan;
        }
        List<Action> actions = new ArrayList<>(plan.actions());
        if (move != null) {
            actions.add(move);
        }
        return new Plan(actions, plan.verdicts(), Math.min(plan.reconsiderAtMillis(), lookAtMillis));
    }

    private @Nullable Action first(View view, Plan plan) {
        Set<Long> leaving = new HashSet<>();
        for (Action action : plan.actions()) {
            if (action instanceof Action.Preempt preempt) {
                leaving.addAll(preempt.victims());
            }
        }
        lookAtMillis = Plan.NEVER;
        Action found = null;
        for (JobView job : spread.values()) {
            long settled = settledMillis(job);
            if (settled > view.nowMillis()) {
                lookAtMillis = Math.min(lookAtMillis, settled);
            } else if (found == null && !leaving.contains(job.id())) {
                found = move(job, view);
            }
        }
        return found;
    }

    private @Nullable Action move(JobView job, View view) {
        Allocation here = job.allocation();
        if (here == null || job.preemptions() >= job.job().maxPreemptions()) {
            return null;
        }
        int type = view.topology().typeOf(here.gpu(0));
        Allocation there = close.choose(view.draft().space(), job, type, here.size(), Horizon.NOW);
        if (there == null || there.tier().compareTo(here.tier()) >= 0 || !worthwhile(job, there, view)) {
            return null;
        }
        view.draft().take(job, there);
        return new Action.Move(job.id(), there);
    }

    private boolean worthwhile(JobView job, Allocation there, View view) {
        long pace = SpeedModel.alone(job.job(), there, view.topology()).micro();
        Costs costs = job.job().costs();
        double gained = (double) (pace - job.paceMicro()) * leaseMillis;
        return !worthwhileOnly || gained > (double) pace * (costs.pauseMillis() + costs.reloadMillis());
    }
}
