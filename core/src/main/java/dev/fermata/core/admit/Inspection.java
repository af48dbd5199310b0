package dev.fermata.core.admit;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks through what a policy wants done in one round. A policy sees who may start, not how many of them together: what would
 * be too much is taken out, and the policy is asked again.
 */
final class Inspection {
    private final Gates gates;
    private final Claims claims;
    private final View view;
    private final boolean second;
    final List<Action> passed = new ArrayList<>();
    /** Whether something was taken out, so that the policy must be asked again. */
    boolean turnedAway;
    /** Whether GPUs that the policy gave away are free after all. */
    boolean returned;

    /** @param second whether jobs of queues that have used up their shares may use what is idle */
    Inspection(Gates gates, Claims claims, View view, boolean second) {
        this.gates = gates;
        this.claims = claims;
        this.view = view;
        this.second = second;
    }

    void look(List<Action> actions) {
        for (Action action : actions) {
            Applicant applicant = gates.roll.get(action.jobId());
            if (applicant == null) {
                passed.add(action);
            } else if (returned && !(action instanceof Action.Start)) {
                // it may count on what was taken out, or not be needed without it
                if (action instanceof Action.Preempt preempt && !preempt(applicant, preempt, false)) {
                    turnAway(applicant, action);
                } else {
                    askAgain(applicant, action);
                }
            } else {
                Action let = judge(applicant, action);
                if (let != null) {
                    passed.add(let);
                } else {
                    turnAway(applicant, action);
                }
            }
        }
        gates.bundles.forgetPlans();
        gates.trials.forgetPlans();
        if (gates.queues != null) {
            gates.queues.forgetPlans();
        }
    }

    /** The action, or a smaller one, or null when it must not be. */
    private @Nullable Action judge(Applicant applicant, Action action) {
        if (action instanceof Action.Start start) {
            Allocation allowed = start(applicant, start.allocation());
            return allowed == null ? null : new Action.Start(applicant.id(), allowed);
        }
        if (action instanceof Action.Preempt preempt) {
            return preempt(applicant, preempt, true) ? preempt : null;
        }
        if (action instanceof Action.Move move) {
            return move(applicant, move) ? move : null;
        }
        return action;
    }

    private @Nullable Allocation start(Applicant applicant, Allocation wanted) {
        if (!gates.bundles.open(applicant) || !gates.trials.open(applicant)) {
            return null;
        }
        QueueTree queues = gates.queues;
        Queue leaf = applicant.queue;
        Allocation given = wanted;
        if (queues != null && leaf != null) {
            boolean entitled = claims.entitles(leaf);
            int room = leaf.limitRoom();
            if (applicant.minGpus() > room || !(entitled || second) || claims.heldBack(applicant)) {
                return null;
            }
            if (wanted.size() > room) { // an elastic job makes do with less
                given = smaller(wanted, room);
                returned = true;
            }
            queues.plan(leaf, given);
        }
        gates.bundles.plan(applicant);
        gates.trials.plan(applicant);
        return given;
    }

    /** The first GPUs of an allocation. */
    private Allocation smaller(Allocation wanted, int gpus) {
        int[] some = new int[gpus];
        System.arraycopy(wanted.toArray(), 0, some, 0, gpus);
        return Allocation.of(view.topology(), some, wanted.shared());
    }

    /** @param now whether it will be done if it may be, so that it counts for those after it */
    private boolean preempt(Applicant applicant, Action.Preempt preempt, boolean now) {
        QueueTree queues = gates.queues;
        Queue leaf = applicant.queue;
        if (!gates.bundles.open(applicant)) {
            return false;
        }
        if (queues != null && leaf != null) {
            boolean entitled = claims.entitles(leaf);
            if (claims.heldBack(applicant)
                    || !(entitled || second)
                    || !withinLimits(queues, leaf, preempt.allocation())
                    || !mayLeave(queues, preempt, leaf, entitled)) {
                return false;
            }
            if (now) {
                queues.plan(leaf, preempt.allocation());
            } else {
                takeBack(queues, preempt.victims(), leaf);
            }
        }
        if (now) {
            gates.bundles.plan(applicant);
        }
        return true;
    }

    private static boolean withinLimits(QueueTree queues, Queue leaf, Allocation allocation) {
        for (Queue q = leaf; q != null; q = q.parent) {
            if (q.usage() + (long) queues.added(q, allocation) > q.limit()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all of them together may leave. */
    private boolean mayLeave(QueueTree queues, Action.Preempt preempt, Queue leaf, boolean entitled) {
        boolean may = true;
        for (long id : preempt.victims()) {
            Applicant victim = gates.roll.get(id);
            if (victim != null && victim.queue != null) {
                queues.lose(victim.queue, leaf, victim.view.gpus());
                may &= !victim.displaced.contains(preempt.jobId());
                may &= victim.queue.spares(0, leaf, entitled);
            }
        }
        if (!may) {
            takeBack(queues, preempt.victims(), leaf);
        }
        return may;
    }

    private void takeBack(QueueTree queues, List<Long> victims, Queue leaf) {
        for (long id : victims) {
            Applicant victim = gates.roll.get(id);
            if (victim != null && victim.queue != null) {
                queues.lose(victim.queue, leaf, -victim.view.gpus());
            }
        }
    }

    private boolean move(Applicant applicant, Action.Move move) {
        if (applicant.view.onHold()) {
            return false; // it goes on where it is, and would not come back
        }
        QueueTree queues = gates.queues;
        Queue leaf = applicant.queue;
        if (queues != null && leaf != null) {
            if (move.allocation().size() > leaf.limitRoom()) {
                return false;
            }
            queues.plan(leaf, move.allocation());
        }
        return true;
    }

    /** What was wanted for this job is not to be had now. */
    private void turnAway(Applicant applicant, Action action) {
        if (action instanceof Action.Move) {
            gates.roll.tell(applicant); // a running job cannot be hidden: asking again would not end
            return;
        }
        if (second || action instanceof Action.Preempt) {
            applicant.barredVersion = view.capacityVersion();
            if (applicant.queue != null) {
                applicant.queue.bar(action instanceof Action.Preempt ? applicant.minGpus() : Integer.MAX_VALUE, view);
            }
        }
        askAgain(applicant, action);
    }

    /** The policy took this for done: it hears of everybody concerned again. */
    private void askAgain(Applicant applicant, Action action) {
        turnedAway = true;
        returned = true;
        gates.roll.tell(applicant);
        if (action instanceof Action.Preempt preempt) {
            for (long id : preempt.victims()) {
                Applicant victim = gates.roll.get(id);
                if (victim != null) {
                    gates.roll.tell(victim);
                }
            }
        }
    }
}
