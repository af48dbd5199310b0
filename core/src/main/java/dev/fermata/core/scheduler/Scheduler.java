package dev.fermata.core.scheduler;

import dev.fermata.core.admission.AdmissionController;
import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.GpuUse;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.PolicyMemory;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The hot path of simulation and live operation. Single-threaded; reads no clock: time is an argument. Same calls, same answers, to
 * the byte.
 */
public final class Scheduler {
    /** After a rejected action the policy decides again this soon, even without events. */
    private static final long RETRY_MILLIS = 1000;

    private final ClusterState cluster;
    private final EventHandler eventHandler;
    private final CapacityDraft draft;
    private final View view;
    private final PlanGuard guard;
    private final ConsistencyCheck consistencyCheck;
    private final Recovery recovery;
    private final EarlyStart earlyStart;
    private final GuardMode mode;
    private final Supplier<Policy> policies;
    private final boolean mixedGangs;
    private AdmissionController policy;

    /** For policies whose gangs get GPUs of one type. */
    public Scheduler(Topology topology, Policy policy, Estimator estimator, GuardMode mode, boolean memoryGuard) {
        this(topology, policy, estimator, mode, memoryGuard, false);
    }

    /** For a policy that keeps no index of the nodes: it is asked again as it is when the cluster grows. */
    public Scheduler(
            Topology topology,
            Policy policy,
            Estimator estimator,
            GuardMode mode,
            boolean memoryGuard,
            boolean mixedGangs) {
        this(topology, () -> policy, estimator, mode, memoryGuard, mixedGangs);
    }

    /**
     * @param policies gives the policy, and a fresh one when the cluster has grown beyond what the policy has indexed
     * @param memoryGuard whether GPU memory may never be reserved twice
     * @param mixedGangs whether a gang may get GPUs of several types
     */
    public Scheduler(
            Topology topology,
            Supplier<Policy> policies,
            Estimator estimator,
            GuardMode mode,
            boolean memoryGuard,
            boolean mixedGangs) {
        this.policies = policies;
        this.mixedGangs = mixedGangs;
        this.policy = new AdmissionController(policies.get(), mixedGangs); // here, so that no driver can omit it
        this.mode = mode;
        this.cluster = new ClusterState(topology, estimator);
        this.eventHandler = new EventHandler(cluster);
        this.draft = new CapacityDraft(() -> cluster.capacity);
        this.view = new ClusterView(cluster, draft);
        this.guard = new PlanGuard(cluster, memoryGuard, mixedGangs);
        this.consistencyCheck = new ConsistencyCheck(cluster);
        this.recovery = new Recovery(cluster);
        this.earlyStart = new EarlyStart(cluster);
    }

    /** One scheduling cycle: apply events, let the policy decide, check the plan, commit it. */
    public Decision runCycle(long nowMillis, List<Event> events) {
        cluster.beginCycle(nowMillis);
        recovery.markAllAsNew();
        cluster.startFailures.expire();
        for (int i = 0; i < events.size(); i++) {
            eventHandler.handle(events.get(i));
        }
        if (cluster.nodes.takeRenumbered()) {
            renewPolicy();
        }
        cluster.startReserved();
        earlyStart.startEarly();
        policy.beginCycle();
        List<PendingReason> pendingReasons = List.of();
        long wake = Plan.NEVER;
        boolean rejected = false;
        do {
            cluster.notifyEstimator();
            Plan plan = policy.decide(view);
            draft.rollback(0);
            cluster.clearChanges();
            for (Action action : plan.actions()) {
                String broken = mode == GuardMode.OFF ? null : guard.findViolation(action);
                if (broken == null) {
                    cluster.commit(action);
                } else {
                    rejectAction(action, broken);
                    rejected = true;
                }
            }
            cluster.startReserved();
            for (int i = 0; i < plan.declined().size(); i++) {
                cluster.declines.decline(plan.declined().get(i));
            }
            if (mode == GuardMode.FULL) {
                checkConsistency();
            }
            pendingReasons =
                    pendingReasons.isEmpty() ? plan.pendingReasons() : concat(pendingReasons, plan.pendingReasons());
            wake = Math.min(wake, plan.reconsiderAtMillis());
        } while (policy.needsAnotherRound() && !rejected);
        cluster.endCycle();
        wake = Math.min(wake, cluster.estimator.nextChangeMillis(nowMillis));
        wake = Math.min(wake, cluster.startFailures.nextMillis());
        wake = rejected ? Math.min(wake, nowMillis + RETRY_MILLIS) : wake;
        return new Decision(cluster.orders, cluster.records, pendingReasons, wake);
    }

    /**
     * Applies events and decides nothing, while no decision can be carried out. The next cycle decides with all that changed
     * until then.
     */
    public Decision applyEvents(long nowMillis, List<Event> events) {
        cluster.beginCycle(nowMillis);
        recovery.markAllAsNew();
        cluster.startFailures.expire();
        for (int i = 0; i < events.size(); i++) {
            eventHandler.handle(events.get(i));
        }
        if (cluster.nodes.takeRenumbered()) {
            renewPolicy();
        }
        cluster.endCycle();
        return new Decision(cluster.orders, cluster.records, List.of(), Plan.NEVER);
    }

    /** The cluster has grown: a fresh policy gets the memory of the last one and sees every live job as changed, as after a restart. */
    private void renewPolicy() {
        PolicyMemory memory = policy.memory();
        policy = new AdmissionController(policies.get(), mixedGangs);
        policy.restoreMemory(memory);
        cluster.markAllAsNew();
    }

    /** Lets the policy work ahead; once after each cycle, when its orders are out. */
    public void prepare() {
        policy.prepare(view);
    }

    private static List<PendingReason> concat(List<PendingReason> some, List<PendingReason> more) {
        List<PendingReason> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private void rejectAction(Action action, String broken) {
        cluster.records.add(new HistoryRecord.ActionRejected(action.jobId(), action.toString(), broken));
        cluster.capacityVersion++;
        markChanged(action.jobId()); // the policy must examine these jobs again
        action.victims().forEach(this::markChanged);
    }

    private void markChanged(long id) {
        TrackedJob job = cluster.find(id);
        if (job != null) {
            cluster.markChanged(job);
        }
    }

    /** The cluster state, to be stored: with the records after it, it is enough to continue. */
    public SchedulerSnapshot snapshot() {
        return recovery.snapshot();
    }

    /**
     * Restores a snapshot, on a scheduler that has done nothing yet. The policy sees every live job as changed when it
     * next decides.
     */
    public void restore(SchedulerSnapshot snapshot) {
        recovery.restore(snapshot);
    }

    /** The order that its policy follows now, or null if that never changes. */
    public @Nullable OrderChoice orderChoice() {
        return policy.orderChoice();
    }

    /** What its policy remembers and no snapshot has; see {@link Policy#memory}. */
    public PolicyMemory policyMemory() {
        return policy.memory();
    }

    /** Restores the policy's memory, before the first cycle. */
    public void restorePolicyMemory(PolicyMemory policyMemory) {
        policy.restoreMemory(policyMemory);
    }

    /**
     * Applies one history record: no policy decides, no order is issued. Records come in their order, from the beginning or
     * from a snapshot on, all records of a cycle before the next cycle.
     */
    public void replay(long nowMillis, HistoryRecord historyRecord) {
        recovery.replay(nowMillis, historyRecord);
    }

    private void checkConsistency() {
        String difference = consistencyCheck.findInconsistency();
        if (difference != null) {
            throw new IllegalStateException("cluster state is inconsistent: " + difference);
        }
    }

    /** Why a pending job waits; null when it is not pending. Never changes anything. */
    public @Nullable PendingReason explain(long jobId) {
        TrackedJob job = cluster.find(jobId);
        if (job == null || job.state != JobState.PENDING) {
            return null;
        }
        if (job.reservation != null) {
            return reservationPending(jobId, job.reservation);
        }
        if (job.inStartBackoff && !job.onHold) {
            return new PendingReason.StartFailed(
                    jobId, job.startFailures, StartFailures.MAX_FAILURES, job.retryAtMillis);
        }
        if (job.lacksNodes && !job.onHold) {
            return noNodes(job);
        }
        PendingReason pendingReason = policy.explain(view, job);
        draft.rollback(0);
        return pendingReason;
    }

    private PendingReason noNodes(TrackedJob job) {
        Demand demand = job.job.demand();
        String types = demand.gpuTypes().isEmpty() ? "suitable GPUs" : String.join(" or ", demand.gpuTypes()) + " GPUs";
        return new PendingReason.NoNodes(
                job.id(),
                demand.minGpus(),
                cluster.feasibility.maxGpusOfOneType(demand, job.eligibleTypes),
                demand.gpuMemoryMib() == 0 ? types : types + " of " + demand.gpuMemoryMib() + " MiB");
    }

    /** It waits for the jobs that leave its GPUs: names the last of them, and its deadline. */
    private PendingReason reservationPending(long jobId, Allocation reservation) {
        int vacated = 0;
        for (int i = 0; i < reservation.size(); i++) {
            vacated += cluster.capacity.jobsOn(reservation.gpu(i)) == 0 ? 1 : 0;
        }
        TrackedJob last = null;
        for (TrackedJob vacating : cluster.vacatingJobs) {
            if (vacating.holdsAnyOf(reservation)
                    && (last == null || vacating.killDeadlineMillis() > last.killDeadlineMillis())) {
                last = vacating;
            }
        }
        return new PendingReason.PreemptionPending(
                jobId,
                reservation.size(),
                vacated,
                last == null
                        ? null
                        : new PendingReason.PreemptionPending.VacatingJob(last.job.id(), last.killDeadlineMillis()));
    }

    /** The most GPUs of one type that this demand could ever be given here: less than it requests means never. */
    public int maxGpusOfOneType(Demand demand) {
        return cluster.feasibility.maxGpusOfOneType(demand, demand.eligibleTypes(cluster.topology));
    }

    /** Every live job, by id; the views are valid until the next cycle. */
    public List<JobView> jobs() {
        return cluster.live();
    }

    /** Why a live job cannot be suspended in place on request, for users; null where it can. */
    public @Nullable String suspendObstacle(long id) {
        TrackedJob job = cluster.find(id);
        return job == null ? "it has ended" : cluster.suspended.obstacle(job);
    }

    public @Nullable JobView job(long id) {
        return cluster.find(id);
    }

    public View view() {
        return view;
    }

    /** The jobs, the reservation and the health of every GPU; valid until the next cycle. */
    public GpuUse gpuUse() {
        return cluster.gpuUse;
    }
}
