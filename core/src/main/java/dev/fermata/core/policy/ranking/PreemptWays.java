package dev.fermata.core.policy.ranking;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * In which way a job is preempted, and what that takes. The cheaper way wins: to be suspended where that is possible and its
 * nodes have host memory for it, else to save and leave.
 */
public final class PreemptWays {
    /** Every job saves and leaves. */
    public static final PreemptWays CHECKPOINT_ONLY = new PreemptWays(false);

    /** Whatever costs less. */
    public static final PreemptWays CHEAPEST = new PreemptWays(true);

    /** What a preemption costs that nothing pays for. */
    private static final long TOO_MUCH_MILLIS = 100L * 365 * 24 * 3_600_000;

    /** A victim that is suspended is left in peace for this long at most: it loses nothing. */
    private static final long MAX_PEACE_MILLIS = 1_000;

    private final boolean suspends;

    private PreemptWays(boolean suspends) {
        this.suspends = suspends;
    }

    public static PreemptWays of(boolean suspends) {
        return suspends ? CHEAPEST : CHECKPOINT_ONLY;
    }

    /** Whether jobs may be suspended. */
    public boolean suspends() {
        return suspends;
    }

    /** The way in which a running job would be preempted now. */
    public PreemptWay wayOf(View view, JobView victim) {
        return wayOf(view, victim, Map.of(), null);
    }

    /** @param planned host memory that other victims of the plan will hold, by node */
    private PreemptWay wayOf(
            View view, JobView victim, Map<Integer, Long> planned, Action.@Nullable Preempt forAction) {
        Allocation held = victim.allocation();
        if (!suspends || !victim.canBeSuspended() || held == null) {
            return PreemptWay.CHECKPOINT;
        }
        if (isKnownToLeave(victim)
                && victim.job().costs().suspend().overheadMillis() > checkpointOverheadMillis(view, victim)) {
            return PreemptWay.CHECKPOINT;
        }
        for (int k = 0; k < held.nodeCount(); k++) {
            int node = held.node(k);
            long mib = planned.getOrDefault(node, 0L) + held.gpusOn(k) * memoryMibPerGpu(victim.job());
            if (mib + neededBy(view, forAction, node) > view.suspendMemoryMib(node)) {
                return PreemptWay.CHECKPOINT;
            }
        }
        return PreemptWay.SUSPEND;
    }

    /** A program of which nothing is known may ignore the signal to save: it is suspended, or stays. */
    private boolean isKnownToLeave(JobView victim) {
        return !suspends || victim.job().costs().checkpointing() != Checkpointing.ASSUMED;
    }

    private static boolean savesRather(View view, JobView victim, long returnMillis) {
        return victim.job().costs().checkpointing() == Checkpointing.ON_PREEMPTION
                && victim.job().savesWithinGrace()
                && returnMillis > checkpointOverheadMillis(view, victim);
    }

    /** RAM that the beneficiary needs of a node. */
    private static long neededBy(View view, Action.@Nullable Preempt preempt, int node) {
        JobView beneficiary = preempt == null ? null : view.job(preempt.jobId());
        Demand demand = beneficiary == null ? null : beneficiary.job().demand();
        return preempt == null || demand == null ? 0 : preempt.allocation().gpusOnNode(node) * demand.memoryMibPerGpu();
    }

    private static long memoryMibPerGpu(Job job) {
        return job.costs().suspend().memoryMibPerGpu() + job.demand().memoryMibPerGpu();
    }

    /** How long a victim holds its GPUs after the decision. */
    public long vacateMillis(View view, JobView victim) {
        return wayOf(view, victim) == PreemptWay.SUSPEND
                ? victim.job().costs().suspend().outMillis()
                : victim.job().vacateMillis();
    }

    /** The same where host memory does not matter. */
    public long usualVacateMillis(JobView victim) {
        long saving = victim.job().vacateMillis();
        return suspends && victim.canBeSuspended()
                ? Math.min(saving, victim.job().costs().suspend().outMillis())
                : saving;
    }

    /** What a preemption takes of a job's own time: leaving, loading again, and what it must repeat. */
    public long overheadMillis(View view, JobView victim) {
        return wayOf(view, victim) == PreemptWay.SUSPEND
                ? victim.job().costs().suspend().overheadMillis()
                : isKnownToLeave(victim) ? checkpointOverheadMillis(view, victim) : TOO_MUCH_MILLIS;
    }

    /** How long a job is left in peace after it has loaded: as long as its preemption would take. */
    public long peaceMillis(JobView job) {
        long overhead = usualOverheadMillis(job);
        return suspends && job.canBeSuspended() ? Math.min(MAX_PEACE_MILLIS, overhead) : overhead;
    }

    /** What a preemption takes of its time where host memory does not matter, lost work left out. */
    public long usualOverheadMillis(JobView job) {
        long saving = job.job().preemptionOverheadMillis();
        return suspends && job.canBeSuspended()
                ? Math.min(saving, job.job().costs().suspend().overheadMillis())
                : saving;
    }

    /** Whether a job loses nothing of its work when it is preempted now. */
    public boolean keepsWork(JobView job) {
        return job.job().savesWithinGrace() || (suspends && job.canBeSuspended());
    }

    public static long checkpointOverheadMillis(View view, JobView victim) {
        return victim.job().vacateMillis() + victim.job().costs().reloadMillis() + lostMillis(view, victim);
    }

    /** Running time a victim would have to repeat: none if it can save within its grace, else what it did since it last saved. */
    private static long lostMillis(View view, JobView victim) {
        if (victim.job().savesWithinGrace()) {
            return 0;
        }
        long elapsed = view.nowMillis() - victim.runningMillis();
        long interval = victim.job().checkpointMillis();
        return interval > 0 ? elapsed % interval : elapsed;
    }

    /** How long a job will run that gets the GPUs of others. */
    public interface ExpectedRun {
        long millis(View view, JobView job);
    }

    /**
     * The plan with the way of each victim. Together they hold no more host memory than there is. One that can save does so where
     * it would wait for its own GPUs for longer than that takes: others may be free earlier.
     */
    public Plan assign(View view, Plan plan, ExpectedRun expected) {
        if (!suspends) {
            return plan;
        }
        Map<Integer, Long> planned = new TreeMap<>();
        List<Action> actions = new ArrayList<>(plan.actions().size());
        for (Action action : plan.actions()) {
            Action assigned = action instanceof Action.Preempt preempt
                            && !preempt.victims().isEmpty()
                    ? assign(view, preempt, planned, expected)
                    : action;
            if (assigned != null) {
                actions.add(assigned);
            }
        }
        return new Plan(actions, plan.declined(), plan.pendingReasons(), plan.reconsiderAtMillis());
    }

    /** Null where a victim can neither be suspended now nor is known to save. */
    private Action.@Nullable Preempt assign(
            View view, Action.Preempt preempt, Map<Integer, Long> planned, ExpectedRun expected) {
        List<PreemptWay> ways = new ArrayList<>(preempt.victims().size());
        JobView beneficiary = view.job(preempt.jobId());
        long returnMillis = beneficiary == null ? 0 : expected.millis(view, beneficiary);
        for (long id : preempt.victims()) {
            JobView victim = view.job(id);
            PreemptWay way = victim == null || savesRather(view, victim, returnMillis)
                    ? PreemptWay.CHECKPOINT
                    : wayOf(view, victim, planned, preempt);
            if (victim != null && way == PreemptWay.CHECKPOINT && !isKnownToLeave(victim)) {
                return null;
            }
            ways.add(way);
            Allocation held = victim == null ? null : victim.allocation();
            for (int k = 0; way == PreemptWay.SUSPEND && victim != null && held != null && k < held.nodeCount(); k++) {
                planned.merge(held.node(k), held.gpusOn(k) * memoryMibPerGpu(victim.job()), Long::sum);
            }
        }
        return new Action.Preempt(
                preempt.jobId(),
                preempt.allocation(),
                preempt.victims(),
                ways,
                preempt.gainMillis(),
                preempt.costMillis());
    }
}
