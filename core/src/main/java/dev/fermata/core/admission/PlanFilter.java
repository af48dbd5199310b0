package dev.fermata.core.admission;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Filters the plan of one round. A policy sees which jobs may start, not how many of them together: what would be too much is
 * taken out, and the policy decides again.
 */
final class PlanFilter {
    private final AdmissionState admission;
    private final QueueStarvationGuard starvationGuard;
    private final View view;
    private final boolean secondPass;
    final List<Action> accepted = new ArrayList<>();
    /** Whether something was taken out, so that the policy must decide again. */
    boolean anyRejected;
    /** Whether GPUs that the policy gave away are free after all. */
    boolean gpusReturned;

    /** @param second whether jobs of queues that have used up their shares may use what is idle */
    PlanFilter(AdmissionState admission, QueueStarvationGuard starvationGuard, View view, boolean second) {
        this.admission = admission;
        this.starvationGuard = starvationGuard;
        this.view = view;
        this.secondPass = second;
    }

    void filter(List<Action> actions) {
        for (Action action : actions) {
            AdmissionEntry entry = admission.table.get(action.jobId());
            if (entry == null) {
                accepted.add(action);
            } else if (gpusReturned && action.type() != Action.Type.START) {
                // it may count on what was taken out, or not be needed without it
                if (action.type() == Action.Type.PREEMPT && !checkPreempt(entry, (Action.Preempt) action, false)) {
                    reject(entry, action);
                } else {
                    resubmit(entry, action);
                }
            } else {
                Action allowed = check(entry, action);
                if (allowed != null) {
                    accepted.add(allowed);
                } else {
                    reject(entry, action);
                }
            }
        }
        admission.arrayGate.clearPlans();
        admission.profileGate.clearPlans();
        admission.userLimits.clearPlans();
        if (admission.queues != null) {
            admission.queues.clearPlans();
        }
    }

    /** The action, or a smaller one, or null when it is not allowed. */
    private @Nullable Action check(AdmissionEntry entry, Action action) {
        return switch (action.type()) {
            case START -> {
                Allocation allowed = checkStart(entry, ((Action.Start) action).allocation());
                yield allowed == null ? null : new Action.Start(entry.id(), allowed);
            }
            case PREEMPT -> checkPreempt(entry, (Action.Preempt) action, true) ? action : null;
            case MOVE -> checkMove(entry, (Action.Move) action) ? action : null;
            case CANCEL -> action;
        };
    }

    private @Nullable Allocation checkStart(AdmissionEntry entry, Allocation requested) {
        if (!admission.arrayGate.isOpen(entry) || !admission.profileGate.isOpen(entry)) {
            return null;
        }
        QueueTree queues = admission.queues;
        QueueNode leaf = entry.queue;
        Allocation given = requested;
        if (queues != null && leaf != null) {
            boolean entitled = starvationGuard.isEntitled(leaf);
            int room = Math.min(leaf.limitHeadroom(), admission.userLimits.room(entry));
            if (entry.minGpus() > room || !(entitled || secondPass) || starvationGuard.isHeldBack(entry)) {
                return null;
            }
            if (requested.size() > room) { // an elastic job accepts less
                given = shrink(requested, room);
                gpusReturned = true;
            }
            queues.addPlan(leaf, given);
        }
        admission.userLimits.addPlanned(entry, given);
        admission.arrayGate.addPlanned(entry);
        admission.profileGate.addPlanned(entry);
        return given;
    }

    /** The first GPUs of an allocation. */
    private Allocation shrink(Allocation requested, int gpus) {
        int[] some = new int[gpus];
        System.arraycopy(requested.toArray(), 0, some, 0, gpus);
        return Allocation.of(view.topology(), some, requested.shared());
    }

    /** @param now whether it will be done if allowed, so that it counts for the actions after it */
    private boolean checkPreempt(AdmissionEntry entry, Action.Preempt preempt, boolean now) {
        QueueTree queues = admission.queues;
        QueueNode leaf = entry.queue;
        if (!admission.arrayGate.isOpen(entry)) {
            return false;
        }
        if (queues != null && leaf != null) {
            boolean entitled = starvationGuard.isEntitled(leaf);
            if (starvationGuard.isHeldBack(entry)
                    || !(entitled || secondPass)
                    || !withinLimits(queues, leaf, preempt.allocation())
                    || preempt.allocation().size() > admission.userLimits.room(entry)
                    || !victimsMayLeave(queues, preempt, leaf, entitled)) {
                return false;
            }
            if (now) {
                admission.userLimits.addPlanned(entry, preempt.allocation());
                queues.addPlan(leaf, preempt.allocation());
            } else {
                undoLoss(queues, preempt.victims(), leaf);
            }
        }
        if (now) {
            admission.arrayGate.addPlanned(entry);
        }
        return true;
    }

    private static boolean withinLimits(QueueTree queues, QueueNode leaf, Allocation allocation) {
        for (QueueNode q = leaf; q != null; q = q.parent) {
            if (q.usage() + (long) queues.addedUsage(q, allocation) > q.limit()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all of them together may leave. */
    private boolean victimsMayLeave(QueueTree queues, Action.Preempt preempt, QueueNode leaf, boolean entitled) {
        boolean may = true;
        for (long id : preempt.victims()) {
            AdmissionEntry victim = admission.table.get(id);
            if (victim != null && victim.queue != null) {
                queues.addLoss(victim.queue, leaf, victim.jobView.gpus());
                may &= !victim.reclaimedFrom.contains(preempt.jobId());
                may &= victim.queue.canSpare(0, leaf, entitled);
            }
        }
        if (!may) {
            undoLoss(queues, preempt.victims(), leaf);
        }
        return may;
    }

    private void undoLoss(QueueTree queues, List<Long> victims, QueueNode leaf) {
        for (long id : victims) {
            AdmissionEntry victim = admission.table.get(id);
            if (victim != null && victim.queue != null) {
                queues.addLoss(victim.queue, leaf, -victim.jobView.gpus());
            }
        }
    }

    private boolean checkMove(AdmissionEntry entry, Action.Move move) {
        if (entry.jobView.onHold()) {
            return false; // it continues where it is, and could not start again
        }
        QueueTree queues = admission.queues;
        QueueNode leaf = entry.queue;
        if (queues != null && leaf != null) {
            if (move.allocation().size() > Math.min(leaf.limitHeadroom(), admission.userLimits.room(entry))) {
                return false;
            }
            admission.userLimits.addPlanned(entry, move.allocation());
            queues.addPlan(leaf, move.allocation());
        }
        return true;
    }

    /** The action for this job is not allowed now. */
    private void reject(AdmissionEntry entry, Action action) {
        switch (action.type()) {
            case MOVE -> admission.table.report(entry); // a running job cannot be hidden: asking again would not end
            case PREEMPT -> {
                block(entry, entry.minGpus());
                resubmit(entry, action);
            }
            case START, CANCEL -> {
                if (secondPass) {
                    block(entry, Integer.MAX_VALUE);
                }
                resubmit(entry, action);
            }
        }
    }

    private void block(AdmissionEntry entry, int gpus) {
        entry.blockedVersion = view.capacityVersion();
        if (entry.queue != null) {
            entry.queue.block(gpus, view);
        }
    }

    /** The policy took this for done: it sees all jobs concerned as changed. */
    private void resubmit(AdmissionEntry entry, Action action) {
        anyRejected = true;
        gpusReturned = true;
        admission.table.report(entry);
        for (long id : action.victims()) {
            AdmissionEntry victim = admission.table.get(id);
            if (victim != null) {
                admission.table.report(victim);
            }
        }
    }
}
