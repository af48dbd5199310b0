package dev.fermata.core.admit;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Any policy, behind gates that it knows nothing of: holds, dependencies, arrays, profiles and queues. It is shown a pending job only
 * while the gates of that job are open; when one closes again, it is told that the job is gone. What it wants done is looked
 * through ({@link Inspection}), and it is asked again until there is nothing to object to.
 *
 * <p>As long as nobody uses a gate the policy sees the ledger's own view. All that is noted here is derived from views.
 */
public final class Gated implements Policy {
    /** Rounds after which a decision stands as it is; what is left over is looked at a second later. */
    private static final int MOST_ROUNDS = 200;

    /** Rounds in a row in which all that the policy wanted was turned down, after which it is not asked again for now. */
    private static final int MOST_FRUITLESS = 30;

    private static final long SOON_MILLIS = 1000;

    private final Policy policy;
    private @Nullable Gates gates;
    private @Nullable GatedView window;
    private final Claims claims;
    private int round;
    private boolean second;
    private boolean again;
    private int fruitless;
    private boolean cutShort;
    private long idleVersion = -1;
    private long settledMillis = Plan.NEVER;

    /** @param mixedGangs whether a gang may get GPUs of several types */
    public Gated(Policy policy, boolean mixedGangs) {
        this.policy = policy;
        this.claims = new Claims(mixedGangs);
    }

    @Override
    public long past() {
        return policy.past();
    }

    @Override
    public void goOnFrom(long past) {
        policy.goOnFrom(past);
    }

    /** Whether it wants to decide again at once, when what it decided last is done. */
    public boolean unfinished() {
        return again;
    }

    /** A new step begins. */
    public void open() {
        round = 0;
        second = false;
        fruitless = 0;
        cutShort = false;
        settledMillis = Plan.NEVER;
    }

    @Override
    public Plan decide(View view) {
        again = false;
        Gates doors = gates;
        boolean first = doors == null;
        if (doors == null) {
            if (!gated(view)) {
                return policy.decide(view);
            }
            doors = new Gates();
            gates = doors;
        }
        doors.update(view, first);
        return round(doors, view);
    }

    private static boolean gated(View view) {
        boolean gated = !view.queueRules().isEmpty();
        List<JobView> changed = view.changed();
        for (int i = 0; i < changed.size() && !gated; i++) {
            gated = Gates.carriesGate(changed.get(i));
        }
        return gated;
    }

    private Plan round(Gates doors, View view) {
        Doorkeeper doorkeeper = new Doorkeeper(doors.roll, claims);
        QueueTree queues = doors.queues;
        boolean full = false;
        if (queues != null) {
            claims.update(queues.leaves(), view);
            full = second;
            if (full) {
                long capacity = view.capacityVersion() + queues.releases() + claims.changes();
                doorkeeper.secondPass(queues.leaves(), capacity != idleVersion, view);
                idleVersion = capacity;
            } else {
                doorkeeper.firstPass(queues.leaves(), view);
            }
        }
        List<Applicant> doomed = doors.dependencies.takeHopeless();
        doors.roll.write();
        Plan plan = policy.decide(window(doors, view));
        doors.roll.read();

        Inspection inspection = new Inspection(doors, claims, view, full);
        inspection.look(plan.actions());
        doors.roll.returned += inspection.returned ? 1 : 0;
        List<Action> actions = new ArrayList<>(inspection.passed);
        doomed.forEach(applicant -> actions.add(new Action.Cancel(applicant.id())));
        fruitless = actions.isEmpty() && inspection.turnedAway ? fruitless + 1 : 0;
        boolean quiet = actions.isEmpty() && (!inspection.turnedAway || fruitless == MOST_FRUITLESS);
        cutShort |= quiet && inspection.turnedAway;
        if (queues != null && quiet) {
            view.draft().rollback(0);
            quiet = calm(queues, doors.roll, view, actions);
        }
        settledMillis = Math.min(settledMillis, doors.trials.nextMillis());
        return close(plan, actions, quiet, view);
    }

    /** The policy has nothing more to do for those it sees: does somebody else? */
    private boolean calm(QueueTree queues, Roll roll, View view, List<Action> actions) {
        Reclaim reclaim = new Reclaim(queues, claims, view);
        Action.Preempt due = reclaim.find();
        settledMillis = Math.min(settledMillis, reclaim.nextMillis());
        if (due != null) {
            Applicant owed = roll.get(due.jobId());
            if (owed != null) {
                owed.displaced = due.victims();
            }
            actions.add(due);
            return false;
        }
        if (claims.hopeless(view)) {
            claims.inVain(view.nowMillis());
            second = false;
            return false;
        }
        if (!second) {
            second = true;
            return false;
        }
        queues.leaves().forEach(leaf -> leaf.fresh.clear());
        return true;
    }

    private Plan close(Plan plan, List<Action> actions, boolean quiet, View view) {
        long wake = Math.min(Math.min(plan.reconsiderAtMillis(), claims.nextMillis()), settledMillis);
        again = !quiet && ++round < MOST_ROUNDS;
        if (!again) {
            wake = quiet && !cutShort ? wake : Math.min(wake, view.nowMillis() + SOON_MILLIS);
        }
        return new Plan(actions, plan.verdicts(), wake);
    }

    private GatedView window(Gates doors, View view) {
        GatedView current = window;
        if (current == null) {
            current = new GatedView(view, doors.roll, claims);
            window = current;
        }
        return current;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        Gates doors = gates;
        Applicant applicant = doors == null ? null : doors.roll.get(job.id());
        if (doors == null || applicant == null) {
            return policy.explain(view, job);
        }
        if (job.onHold()) {
            return Verdict.of(job.id(), Reason.HELD, applicant.minGpus(), 0);
        }
        List<After> unmet = doors.dependencies.unmet(applicant);
        if (unmet != null) {
            long next = unmet.get(0).jobId();
            return new Verdict(job.id(), Reason.DEPENDENCY, unmet.size(), 0, next, -1);
        }
        Bundle array = doors.bundles.closedBy(applicant);
        if (array != null) {
            return Verdict.of(job.id(), Reason.ARRAY_LIMIT, array.atMost(), doors.bundles.occupying(array));
        }
        JobView first = doors.trials.awaited(applicant);
        if (first != null) {
            long until = first.startedMillis() + first.job().trial().waitMillis();
            return new Verdict(job.id(), Reason.PROFILE_PENDING, applicant.minGpus(), 0, first.id(), until);
        }
        Queue leaf = applicant.queue;
        if (leaf != null && leaf.limitRoom() < applicant.minGpus()) {
            return Verdict.of(job.id(), Reason.QUEUE_LIMIT, applicant.minGpus(), Math.max(0, leaf.limitRoom()));
        }
        if (leaf != null && (!applicant.known || leaf.shareRoom() <= 0)) {
            return Verdict.of(job.id(), Reason.QUEUE_SHARE, applicant.minGpus(), Math.max(0, leaf.shareRoom()));
        }
        return policy.explain(window(doors, view), job);
    }
}
