package dev.fermata.core.admission;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.JobArray;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a policy behind gates: holds, dependencies, arrays, profiles and queues. The policy sees a pending job only while all
 * gates of that job are open; when one closes, it sees once that the job is no longer admitted
 * ({@link View#isAdmitted}). Its plan is filtered ({@link PlanFilter}), and it
 * decides again until nothing is rejected. The policy never knows of the gates.
 *
 * <p>As long as no gate is in use the policy sees the cluster's own view. All state here is derived from views.
 */
public final class AdmissionController implements Policy {
    /** Rounds after which a decision stands; the rest is decided a second later. */
    private static final int MAX_ROUNDS = 200;

    /** Rounds in a row in which the whole plan was rejected, after which the policy does not decide again for now. */
    private static final int MAX_FRUITLESS_ROUNDS = 30;

    private static final long RETRY_MILLIS = 1000;

    private final Policy policy;
    private @Nullable AdmissionState admission;
    private @Nullable AdmittedView admittedView;
    private final QueueStarvationGuard starvationGuard;
    private int round;
    private boolean secondPass;
    private boolean moreRounds;
    private int fruitlessRounds;
    private boolean truncated;
    private long idleVersion = -1;
    private long nextWakeMillis = Plan.NEVER;

    /** @param mixedGangs whether a gang may get GPUs of several types */
    public AdmissionController(Policy policy, boolean mixedGangs) {
        this.policy = policy;
        this.starvationGuard = new QueueStarvationGuard(mixedGangs);
    }

    @Override
    public @Nullable OrderChoice orderChoice() {
        return policy.orderChoice();
    }

    @Override
    public PolicyMemory memory() {
        return policy.memory();
    }

    @Override
    public void restoreMemory(PolicyMemory memory) {
        policy.restoreMemory(memory);
    }

    /** Whether it must decide again at once, when its last plan is committed. */
    public boolean needsAnotherRound() {
        return moreRounds;
    }

    /** A new cycle begins. */
    public void beginCycle() {
        round = 0;
        secondPass = false;
        fruitlessRounds = 0;
        truncated = false;
        nextWakeMillis = Plan.NEVER;
    }

    @Override
    public Plan decide(View view) {
        moreRounds = false;
        AdmissionState state = admission;
        boolean first = state == null;
        if (state == null) {
            if (!usesGates(view)) {
                return policy.decide(view);
            }
            state = new AdmissionState();
            admission = state;
        }
        state.update(view, first);
        return runRound(state, view);
    }

    @Override
    public void prepare(View view) {
        policy.prepare(admission == null ? view : admittedView(admission, view));
    }

    private static boolean usesGates(View view) {
        boolean hasGate = !view.queueRules().isEmpty();
        List<JobView> changed = view.changedJobs();
        for (int i = 0; i < changed.size() && !hasGate; i++) {
            hasGate = AdmissionState.hasGate(changed.get(i));
        }
        return hasGate;
    }

    private Plan runRound(AdmissionState state, View view) {
        ShareFilter shareFilter = new ShareFilter(state.table, starvationGuard);
        QueueTree queues = state.queues;
        boolean full = false;
        if (queues != null) {
            starvationGuard.update(queues.leaves(), view);
            full = secondPass;
            if (full) {
                long capacity = view.capacityVersion() + queues.releases() + starvationGuard.changes();
                shareFilter.secondPass(queues.leaves(), capacity != idleVersion, view);
                idleVersion = capacity;
            } else {
                shareFilter.firstPass(queues.leaves(), view);
            }
        }
        List<AdmissionEntry> unsatisfiable = state.dependencyGate.takeUnsatisfiable();
        state.table.publishChanges();
        Plan plan = policy.decide(admittedView(state, view));
        state.table.clearChanges();

        PlanFilter planFilter = new PlanFilter(state, starvationGuard, view, full);
        planFilter.filter(plan.actions());
        state.table.returnedRounds += planFilter.gpusReturned ? 1 : 0;
        List<Action> actions = new ArrayList<>(planFilter.accepted);
        unsatisfiable.forEach(entry -> actions.add(new Action.Cancel(entry.id())));
        fruitlessRounds = actions.isEmpty() && planFilter.anyRejected ? fruitlessRounds + 1 : 0;
        boolean settled = actions.isEmpty() && (!planFilter.anyRejected || fruitlessRounds == MAX_FRUITLESS_ROUNDS);
        truncated |= settled && planFilter.anyRejected;
        if (queues != null && settled) {
            view.draft().rollback(0);
            settled = advancePass(queues, state.table, view, actions);
        }
        nextWakeMillis = Math.min(nextWakeMillis, state.profileGate.nextMillis());
        return finishRound(plan, actions, settled, view);
    }

    /** The policy has nothing more to do for the jobs it sees: advances to the next pass, or returns that all is done. */
    private boolean advancePass(QueueTree queues, AdmissionTable table, View view, List<Action> actions) {
        GuaranteeReclaim reclaim = new GuaranteeReclaim(queues, starvationGuard, view);
        Action.Preempt due = reclaim.findPreemption();
        nextWakeMillis = Math.min(nextWakeMillis, reclaim.nextMillis());
        if (due != null) {
            AdmissionEntry guaranteedEntry = table.get(due.jobId());
            if (guaranteedEntry != null) {
                guaranteedEntry.reclaimedFrom = due.victims();
            }
            actions.add(due);
            return false;
        }
        if (starvationGuard.cannotBeServed(view)) {
            starvationGuard.giveUp(view.nowMillis());
            secondPass = false;
            return false;
        }
        if (!secondPass) {
            secondPass = true;
            return false;
        }
        queues.leaves().forEach(leaf -> leaf.recentlyChanged.clear());
        return true;
    }

    private Plan finishRound(Plan plan, List<Action> actions, boolean settled, View view) {
        long wake = Math.min(Math.min(plan.reconsiderAtMillis(), starvationGuard.nextMillis()), nextWakeMillis);
        moreRounds = !settled && ++round < MAX_ROUNDS;
        if (!moreRounds) {
            wake = settled && !truncated ? wake : Math.min(wake, view.nowMillis() + RETRY_MILLIS);
        }
        return new Plan(actions, plan.declined(), plan.pendingReasons(), wake);
    }

    private AdmittedView admittedView(AdmissionState state, View view) {
        AdmittedView current = admittedView;
        if (current == null) {
            current = new AdmittedView(view, state.table, starvationGuard);
            admittedView = current;
        }
        return current;
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        AdmissionState state = admission;
        AdmissionEntry entry = state == null ? null : state.table.get(job.id());
        if (state == null || entry == null) {
            return policy.explain(view, job);
        }
        if (job.onHold()) {
            return new PendingReason.Held(job.id());
        }
        List<Dependency> unmet = state.dependencyGate.unmet(entry);
        if (unmet != null) {
            return new PendingReason.DependencyPending(
                    job.id(), unmet.size(), unmet.get(0).jobId());
        }
        JobArray array = state.arrayGate.limitingArray(entry);
        if (array != null) {
            return new PendingReason.ArrayLimit(job.id(), array.maxRunning(), state.arrayGate.occupying(array));
        }
        JobView first = state.profileGate.awaitedJob(entry);
        if (first != null) {
            long until = first.startedMillis() + first.job().profileFirst().waitMillis();
            return new PendingReason.ProfilePending(job.id(), first.id(), until);
        }
        QueueNode leaf = entry.queue;
        int room = leaf == null ? Integer.MAX_VALUE : Math.min(leaf.limitHeadroom(), state.userLimits.room(entry));
        if (room < entry.minGpus()) {
            return new PendingReason.QueueLimit(job.id(), entry.minGpus(), Math.max(0, room));
        }
        if (leaf != null && (!entry.visible || leaf.shareHeadroom() <= 0)) {
            return new PendingReason.QueueShare(job.id(), entry.minGpus(), Math.max(0, leaf.shareHeadroom()));
        }
        return policy.explain(admittedView(state, view), job);
    }
}
