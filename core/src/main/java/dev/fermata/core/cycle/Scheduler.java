package dev.fermata.core.cycle;

import dev.fermata.core.admit.Gated;
import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hot path of both worlds. Single-threaded; reads no clock: time comes with the events. Same calls, same answers, to
 * the byte.
 */
public final class Scheduler {
    /** After a refused action the policy is asked again this soon, even if nothing happens. */
    private static final long RETRY_MILLIS = 1000;

    private final Ledger ledger;
    private final Intake intake;
    private final LedgerDraft draft;
    private final View view;
    private final PlanGuard guard;
    private final Audit audit;
    private final Rebuild rebuild;
    private final Sooner sooner;
    private final GuardMode mode;
    private final Gated policy;

    /** For policies whose gangs get GPUs of one type. */
    public Scheduler(Topology topology, Policy policy, Estimator estimator, GuardMode mode, boolean memoryPromise) {
        this(topology, policy, estimator, mode, memoryPromise, false);
    }

    /**
     * @param memoryPromise whether GPU memory may never be promised twice
     * @param mixedGangs whether a gang may get GPUs of several types
     */
    public Scheduler(
            Topology topology,
            Policy policy,
            Estimator estimator,
            GuardMode mode,
            boolean memoryPromise,
            boolean mixedGangs) {
        this.policy = new Gated(policy, mixedGangs); // here, so that no world can forget it
        this.mode = mode;
        this.ledger = new Ledger(topology, estimator);
        this.intake = new Intake(ledger);
        this.draft = new LedgerDraft(ledger.capacity);
        this.view = new Window(ledger, draft);
        this.guard = new PlanGuard(ledger, memoryPromise, mixedGangs);
        this.audit = new Audit(ledger);
        this.rebuild = new Rebuild(ledger);
        this.sooner = new Sooner(ledger);
    }

    /** One turn of the ring: learn → look → decide → distrust → remember → speak. */
    public Decision step(long nowMillis, List<Event> events) {
        ledger.open(nowMillis);
        rebuild.showAll();
        for (int i = 0; i < events.size(); i++) {
            intake.learn(events.get(i)); // learn
        }
        ledger.keepPromises();
        sooner.start();
        policy.open();
        List<Verdict> verdicts = List.of();
        long wake = Plan.NEVER;
        boolean refused = false;
        do {
            ledger.tellEstimator();
            Plan plan = policy.decide(view); // look, decide
            draft.rollback(0);
            ledger.seen();
            for (Action action : plan.actions()) {
                String broken = mode == GuardMode.OFF ? null : guard.refuse(action); // distrust
                if (broken == null) {
                    ledger.commit(action); // remember
                } else {
                    refused(action, broken);
                    refused = true;
                }
            }
            ledger.keepPromises();
            for (int i = 0; i < plan.verdicts().size(); i++) {
                if (plan.verdicts().get(i).reason() == Reason.PREEMPTION_NOT_WORTH_IT) {
                    ledger.refrain(plan.verdicts().get(i));
                }
            }
            if (mode == GuardMode.FULL) {
                selfCheck();
            }
            verdicts = verdicts.isEmpty() ? plan.verdicts() : joined(verdicts, plan.verdicts());
            wake = Math.min(wake, plan.reconsiderAtMillis());
        } while (policy.unfinished() && !refused);
        ledger.close();
        wake = Math.min(wake, ledger.estimator.nextMillis(nowMillis));
        wake = refused ? Math.min(wake, nowMillis + RETRY_MILLIS) : wake;
        return new Decision(ledger.commands, ledger.facts, verdicts, wake); // speak
    }

    private static List<Verdict> joined(List<Verdict> some, List<Verdict> more) {
        List<Verdict> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private void refused(Action action, String broken) {
        ledger.facts.add(new Fact.Rejected(action.jobId(), action.toString(), broken));
        ledger.capacityVersion++;
        touch(action.jobId()); // whatever the policy assumed of these jobs, it must look again
        if (action instanceof Action.Preempt preempt) {
            preempt.victims().forEach(this::touch);
        }
    }

    private void touch(long id) {
        JobRecord job = ledger.find(id);
        if (job != null) {
            ledger.touch(job);
        }
    }

    /** What the ledger remembers, to be kept: with the facts after it, it is enough to go on. */
    public LedgerImage image() {
        return rebuild.image();
    }

    /**
     * Takes an image as the truth, on a scheduler that has done nothing yet. The policy sees every live job as changed when it
     * next decides.
     */
    public void restore(LedgerImage image) {
        rebuild.restore(image);
    }

    /** What its policy remembers and no image has; see {@link Policy#past}. */
    public long policysPast() {
        return policy.past();
    }

    /** Lets its policy go on from that, before the first step. */
    public void goOnFrom(long policysPast) {
        policy.goOnFrom(policysPast);
    }

    /**
     * Takes one line of a history as true: no policy is asked, no command is given. Lines come in their order, from the
     * beginning or from an image on, all lines of a step before the next step.
     */
    public void replay(long nowMillis, Fact fact) {
        rebuild.replay(nowMillis, fact);
    }

    private void selfCheck() {
        String difference = audit.difference();
        if (difference != null) {
            throw new IllegalStateException("ledger is inconsistent: " + difference);
        }
    }

    /** Why a pending job waits; null when it is not pending. Never changes anything. */
    public @Nullable Verdict explain(long jobId) {
        JobRecord job = ledger.find(jobId);
        if (job == null || job.state != JobState.PENDING) {
            return null;
        }
        if (job.promise != null) {
            return beingVacated(jobId, job.promise);
        }
        Verdict verdict = policy.explain(view, job);
        draft.rollback(0);
        return verdict;
    }

    /** It waits for those who leave its GPUs: the last of them, and until when at most. */
    private Verdict beingVacated(long jobId, Allocation promise) {
        int vacated = 0;
        for (int i = 0; i < promise.size(); i++) {
            vacated += ledger.capacity.sharers(promise.gpu(i)) == 0 ? 1 : 0;
        }
        JobRecord last = null;
        for (JobRecord leaving : ledger.leaving) {
            if (leaving.isOn(promise) && (last == null || leaving.goneByMillis() > last.goneByMillis())) {
                last = leaving;
            }
        }
        return new Verdict(
                jobId,
                Reason.PREEMPTION_PENDING,
                promise.size(),
                vacated,
                last == null ? 0 : last.job.id(),
                last == null ? -1 : last.goneByMillis());
    }

    /** The most GPUs of one type that this demand could ever be given here: less than it asks for means never. */
    public int largestOffer(Demand demand) {
        return ledger.feasibility.largestOffer(demand, demand.eligibleTypes(ledger.topology));
    }

    /** Every live job, by id; the views are valid until the next step. */
    public List<JobView> jobs() {
        return ledger.live();
    }

    public @Nullable JobView job(long id) {
        return ledger.find(id);
    }

    public View view() {
        return view;
    }
}
