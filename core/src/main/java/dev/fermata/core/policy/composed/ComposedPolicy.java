package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.PreemptionRule;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.WaitingJobs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The loop that every composed policy shares. It takes pending jobs in rank order and starts each where the placement
 * finds room. Where there is none, the preemption rule may make room. Otherwise the job waits, and all others of its
 * demand with it.
 *
 * <p>Jobs are met in rank order and a victim always ranks after its beneficiary, so one pass reaches the same set of
 * running jobs as sorting all jobs and filling the cluster from the top, at the cost of what changed.
 */
public final class ComposedPolicy implements Policy {
    /** How many victims one decision takes back; beyond that the plan stands as it is. */
    private static final int MAX_EXEMPT = 32;

    private final JobOrder order;
    private final Placement placement;
    private final @Nullable PreemptionRule preemption;
    private final boolean blocking;
    private final @Nullable JointChoice joint;
    private final @Nullable RunningMoves moves;
    private final @Nullable ElasticGrowth growth;
    private @Nullable RankedJobs rankedJobs;
    /** Values of this version: jobs started since the queue was last empty, then what the order remembers. */
    private static final int MEMORY_VERSION = 1;

    /** Jobs that another instance started since the queue was last empty. */
    private long restoredStarts;

    /** @param blocking no job overtakes one that does not fit */
    public ComposedPolicy(JobOrder order, Placement placement, @Nullable PreemptionRule preemption, boolean blocking) {
        this(order, placement, preemption, blocking, null);
    }

    /** @param joint revises types and sizes of the jobs that start in one decision, or null */
    public ComposedPolicy(
            JobOrder order,
            Placement placement,
            @Nullable PreemptionRule preemption,
            boolean blocking,
            @Nullable JointChoice joint) {
        this(order, placement, preemption, blocking, joint, null, false);
    }

    /**
     * @param moves moves running jobs to better places, or null
     * @param resizes whether running jobs of elastic size get more or fewer GPUs
     */
    public ComposedPolicy(
            JobOrder order,
            Placement placement,
            @Nullable PreemptionRule preemption,
            boolean blocking,
            @Nullable JointChoice joint,
            @Nullable RunningMoves moves,
            boolean resizes) {
        this.moves = moves;
        this.growth = resizes ? new ElasticGrowth(order) : null;
        this.joint = joint;
        this.order = order;
        this.placement = placement;
        this.preemption = preemption;
        this.blocking = blocking;
    }

    @Override
    public Plan decide(View view) {
        Plan plan = servePending(view);
        plan = moves == null ? plan : moves.addMoves(plan, view);
        return growth == null ? plan : growth.addGrowth(plan, view);
    }

    private Plan servePending(View view) {
        RankedJobs rankedJobs = rankedJobs(view);
        rankedJobs.update(view);
        if (joint != null) {
            joint.update(view);
        }
        if (!rankedJobs.waiting().anyUnblocked(rankedJobs.version(view), headAffectsFit())) {
            return new Plan(List.of(), List.of(), rankedJobs.nextDueMillis());
        }
        List<Plan.Declined> declined = new ArrayList<>();
        List<PendingReason> pendingReasons = new ArrayList<>();
        DecisionPass pass = pass(view, rankedJobs, List.of(), declined, pendingReasons);
        List<JointChoice.Choice> choices = joint == null || pass.isHeldBack
                ? List.of()
                : joint.improve(view, rankedJobs, placement.tolerance(), pass.actions);
        if (!choices.isEmpty()) {
            List<Action> inTurn = pass.actions;
            pass.undo();
            rankedJobs.waiting().demandClasses().forEach(WaitingJobs.DemandClass::unblock);
            pass = pass(view, rankedJobs, choices, declined, pendingReasons);
            if (!JointChoice.startsAll(pass.actions, inTurn, choices)) { // the GPUs were there, but not close together
                pass.undo();
                rankedJobs.waiting().demandClasses().forEach(WaitingJobs.DemandClass::unblock);
                pass = pass(view, rankedJobs, List.of(), declined, pendingReasons);
            }
            Set<Long> served = pass.served();
            pendingReasons.removeIf(reason -> served.contains(reason.jobId()));
            declined.removeIf(weighed -> served.contains(weighed.jobId()));
        }
        return new Plan(pass.actions, declined, pendingReasons, rankedJobs.nextDueMillis());
    }

    /** A pass in which every victim is needed. */
    private DecisionPass pass(
            View view,
            RankedJobs rankedJobs,
            List<JointChoice.Choice> choices,
            List<Plan.Declined> declined,
            List<PendingReason> pendingReasons) {
        Set<RankedJob> exempt = Set.of();
        while (true) {
            DecisionPass pass = new DecisionPass(view, rankedJobs, exempt, choices, declined, pendingReasons);
            RankedJob surplusVictim = pass.run();
            if (surplusVictim == null) {
                return pass;
            }
            // preempted for one job, but the victims of another freed enough: it need not leave
            exempt = new HashSet<>(exempt);
            exempt.add(surplusVictim);
            pass.undo();
        }
    }

    @Override
    public void prepare(View view) {
        order.prepare(view);
    }

    /** Whether another first job can change the answer for its demand class: it may rank before a victim, or be another size. */
    private boolean headAffectsFit() {
        return preemption != null || blocking;
    }

    /** A candidate of the pass: the first waiting job of a demand class, or a victim that may fit after all. */
    private record Contender(RankedJob entry, WaitingJobs.@Nullable DemandClass demandClass) {}

    /** One pass over the waiting jobs in rank order. */
    private final class DecisionPass {
        private final View view;
        private final RankedJobs rankedJobs;
        private final Set<RankedJob> exempt;
        private final PriorityQueue<Contender> contenders;
        private final int begin;
        private final List<JointChoice.Choice> choices;
        private final List<Action> actions = new ArrayList<>();
        private final List<Plan.Declined> declined;
        private final List<PendingReason> pendingReasons;
        private final List<RankedJob> touched = new ArrayList<>();
        private final List<WaitingJobs.DemandClass> skipped = new ArrayList<>();
        private int unreachableGpus = Integer.MAX_VALUE;
        private long unreachableTypes;
        private boolean hostsMatter;
        /** Whether a job waits that others may not overtake. */
        private boolean isHeldBack;

        /** @param pendingReasons for why jobs wait: what one pass found is not examined again by the next */
        DecisionPass(
                View view,
                RankedJobs rankedJobs,
                Set<RankedJob> exempt,
                List<JointChoice.Choice> choices,
                List<Plan.Declined> declined,
                List<PendingReason> pendingReasons) {
            this.view = view;
            this.rankedJobs = rankedJobs;
            this.exempt = exempt;
            long now = view.nowMillis();
            this.contenders = new PriorityQueue<>((a, b) -> RankedJob.compareAt(a.entry, b.entry, now));
            this.choices = choices;
            this.begin = view.draft().mark();
            this.declined = declined;
            this.pendingReasons = pendingReasons;
        }

        /** As if it had not been run; another part of the policy may have acted before. */
        void undo() {
            view.draft().rollback(begin);
            touched.forEach(entry -> rankedJobs.restore(entry, view));
        }

        /** Jobs that start or for which others are preempted. */
        Set<Long> served() {
            Set<Long> served = new HashSet<>();
            actions.forEach(action -> served.add(action.jobId()));
            return served;
        }

        /** Returns a victim that could have stayed, or null. */
        @Nullable
        RankedJob run() {
            long version = rankedJobs.version(view);
            choices.forEach(this::start);
            for (WaitingJobs.DemandClass demandClass : rankedJobs.waiting().demandClasses()) {
                if (demandClass.isBlocked(version, headAffectsFit())) {
                    skipped.add(demandClass);
                } else {
                    contenders.add(new Contender(demandClass.head(), demandClass));
                }
            }
            RankedJob first = firstHoldingBack();
            while (!contenders.isEmpty()) {
                Contender contender = contenders.remove();
                if (first != null
                        && RankedJob.compareAt(first, contender.entry, view.nowMillis()) < 0
                        && competesWith(contender.entry, first)) {
                    continue;
                }
                if (contender.demandClass == null) {
                    if (isSurplusVictim(contender.entry)) {
                        return contender.entry;
                    }
                } else if (!serve(contender.entry, contender.demandClass)) {
                    if (blocking) {
                        break;
                    }
                    first = first == null && holdsBackOthers(contender.entry) ? contender.entry : first;
                }
            }
            isHeldBack = first != null;
            return null;
        }

        /** Whether others must wait for this job: it is overdue, and could run if they did; it declines no free GPUs itself. */
        private boolean holdsBackOthers(RankedJob entry) {
            int min = entry.job().job().demand().minGpus();
            return order.blocksOthers(entry.rank())
                    && PendingReasons.maxAvailable(entry.job(), view.draft().capacity()) < min
                    && isInReach(entry);
        }

        /** Whether all that a job may run on is also needed by the one others must wait for. */
        private boolean competesWith(RankedJob entry, RankedJob first) {
            return (entry.job().eligibleTypes() & ~first.job().eligibleTypes()) == 0;
        }

        /** The first in rank of the skipped jobs that no job may overtake, or null. */
        private @Nullable RankedJob firstHoldingBack() {
            RankedJob found = null;
            for (WaitingJobs.DemandClass demandClass : skipped) {
                RankedJob head = demandClass.head();
                if (holdsBackOthers(head)
                        && (found == null || RankedJob.compareAt(head, found, view.nowMillis()) < 0)) {
                    found = head;
                }
            }
            return found;
        }

        private boolean serve(RankedJob first, WaitingJobs.DemandClass demandClass) {
            Action action = tryServe(first);
            if (action == null) {
                ReasonCode reason =
                        PendingReasons.headCode(first, demandClass, view.draft().capacity(), placement.tolerance());
                if (demandClass.block(rankedJobs.version(view), first, reason)) {
                    pendingReasons.add(PendingReasons.forHead(
                            first, demandClass, view.draft().capacity(), placement.tolerance()));
                }
                WaitingJobs.WeighedPreemption weighed = demandClass.weighedPreemption(first);
                if (weighed != null) {
                    declined.add(new Plan.Declined(
                            weighed.jobId(), weighed.victims(), weighed.gainMillis(), weighed.costMillis()));
                }
                return false;
            }
            actions.add(action);
            unlink(first);
            if (!demandClass.tree().isEmpty()) {
                contenders.add(new Contender(demandClass.head(), demandClass));
            }
            return true;
        }

        private @Nullable Action tryServe(RankedJob entry) {
            Draft draft = view.draft();
            JobView job = entry.job();
            if (entry.demandClass() != null) {
                entry.demandClass().clearWeighedPreemption();
            }
            if (isOutOfReach(job)) {
                return null;
            }
            Allocation now = placement.place(draft.capacity(), job, Horizon.NOW);
            if (now != null) {
                draft.allocate(job, now);
                return new Action.Start(job.id(), now);
            }
            if (!isInReach(entry)) {
                unreachableTypes = job.eligibleTypes();
                unreachableGpus = job.job().demand().minGpus();
                return null;
            }
            PreemptionRule.PreemptionAnswer answer = preemption == null
                    ? PreemptionRule.NO_VICTIMS
                    : preemption.findVictims(view, rankedJobs, entry, placement, exempt);
            if (answer instanceof PreemptionRule.Feasible room) {
                addVictims(room.victims(), entry);
                return room.action();
            }
            if (answer instanceof PreemptionRule.NotWorthIt weighed && entry.demandClass() != null) {
                entry.demandClass()
                        .weighedPreemption(entry, weighed.victims(), weighed.gainMillis(), weighed.costMillis());
            }
            return null;
        }

        /** A job starts as chosen together with others, if its GPUs can be had close enough. */
        private void start(JointChoice.Choice choice) {
            JobView job = choice.entry().job();
            Allocation chosen =
                    placement.placeExactly(view.draft().capacity(), job, choice.type(), choice.gpus(), Horizon.NOW);
            if (chosen != null) {
                view.draft().allocate(job, chosen);
                actions.add(new Action.Start(job.id(), chosen));
                unlink(choice.entry());
            }
        }

        /** Whether it could get enough GPUs of one type: those available, and those of all its possible victims. */
        private boolean isInReach(RankedJob entry) {
            int min = entry.job().job().demand().minGpus();
            Horizon horizon = preemption == null ? Horizon.NOW : Horizon.SOON;
            for (int type : entry.job().typesByPreference()) {
                int missing = min - view.draft().capacity().available(type, horizon);
                long after = preemption == null || missing <= 0
                        ? 0
                        : rankedJobs.running().weightAfter(type, entry.rank(), view.nowMillis(), missing);
                if (after >= missing) {
                    return true;
                }
            }
            return false;
        }

        /**
         * Whether a job of the same types and no more GPUs was out of reach earlier in this pass: what can be reached only
         * shrinks. Jobs that may share a GPU need no free one.
         */
        private boolean isOutOfReach(JobView job) {
            return job.job().demand().minGpus() >= unreachableGpus
                    && job.eligibleTypes() == unreachableTypes
                    && !placement.mayShare(job, view.topology());
        }

        private void unlink(RankedJob entry) {
            rankedJobs.unlink(entry);
            touched.add(entry);
        }

        /** Victims may free more than was needed: for themselves, or for jobs that were out of reach before. */
        private void addVictims(List<RankedJob> victims, RankedJob beneficiary) {
            hostsMatter |= beneficiary.job().job().demand().needsHostResources();
            for (RankedJob victim : victims) {
                unlink(victim);
                contenders.add(new Contender(victim, null));
            }
            for (WaitingJobs.DemandClass demandClass : skipped) {
                if (RankedJob.compareAt(demandClass.head(), beneficiary, view.nowMillis()) > 0) {
                    contenders.add(new Contender(demandClass.head(), demandClass));
                }
            }
            skipped.clear();
        }

        private boolean isSurplusVictim(RankedJob victim) {
            // where a job requires its place, room elsewhere would not have served it
            if (placement.consolidates() || hostsMatter || exempt.size() == MAX_EXEMPT) {
                return false;
            }
            JobView job = victim.job();
            Allocation held = Objects.requireNonNull(job.allocation());
            int type = view.topology().typeOf(held.gpu(0));
            return view.draft().capacity().available(type, Horizon.SOON) >= held.size()
                    && placement.choose(view.draft().capacity(), job, type, held.size(), Horizon.SOON) != null;
        }
    }

    private RankedJobs rankedJobs(View view) {
        RankedJobs current = rankedJobs;
        if (current == null) {
            current = new RankedJobs(
                    view,
                    order,
                    placement.tolerance(),
                    new RankedJobs.IndexOptions(blocking, placement.allowsSharing(), false, placement.consolidates()));
            current.restoreStarts(restoredStarts);
            rankedJobs = current;
        }
        return current;
    }

    @Override
    public @Nullable OrderChoice orderChoice() {
        return order.orderChoice();
    }

    @Override
    public PolicyMemory memory() {
        long starts = rankedJobs == null ? restoredStarts : rankedJobs.startsSinceIdle();
        List<Long> values = new ArrayList<>(List.of(starts));
        values.addAll(order.memory());
        return new PolicyMemory(MEMORY_VERSION, values);
    }

    @Override
    public void restoreMemory(PolicyMemory memory) {
        if (memory.version() == MEMORY_VERSION) {
            restoredStarts = memory.values().get(0);
            order.restoreMemory(memory.values().subList(1, memory.values().size()));
        }
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        PendingReason reason = PendingReasons.explain(rankedJobs(view), view, job, placement.tolerance());
        RankedJob blocker = reason instanceof PendingReason.Fragmented ? jobHoldingBack(view, job) : null;
        return blocker == null
                ? reason
                : PendingReasons.forReservation(
                        job, view.capacity(), blocker.job().id());
    }

    /** The waiting job that may not be overtaken and needs the free GPUs that this one could have, or null. */
    private @Nullable RankedJob jobHoldingBack(View view, JobView job) {
        RankedJob held = rankedJobs(view).entry(job);
        for (WaitingJobs.DemandClass demandClass : rankedJobs(view).waiting().demandClasses()) {
            RankedJob head = demandClass.head();
            if (held != null
                    && order.blocksOthers(head.rank())
                    && RankedJob.compareAt(head, held, view.nowMillis()) < 0
                    && (job.eligibleTypes() & ~head.job().eligibleTypes()) == 0
                    && !PendingReasons.hasEnoughGpus(head.job(), view.capacity())) {
                return head;
            }
        }
        return null;
    }
}
