package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.AffinityPlacement;
import dev.fermata.core.policy.place.NodeGangSizes;
import dev.fermata.core.policy.place.ResumingPlacement;
import dev.fermata.core.policy.preempt.PriorityPreemption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva as the Dally authors simulate it: time-slicing by leases, latest-started first, with affinity placement. When
 * capacity appears, every running job that is farther apart than it need be moves to a closer place if one is free, and
 * need not have run for any time. A move costs what preempting and loading cost. Moves and starts share one order: jobs that
 * started after every pending job came move before these are served, all others after.
 *
 * <p>Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018; details from the Dally
 * authors' simulator. O(spread jobs) a decision with new capacity.
 */
public final class Gandiva implements Policy {
    private final LeaseOrder order;
    private final boolean suspends;
    private final @Nullable ConsolidatingMoves moves;
    private final LongMap<Allocation> placed = new LongMap<>();
    /** When pending jobs started last or came, and the same by job. */
    private final TreeMap<Long, Integer> pendingStarts = new TreeMap<>();

    private final LongMap<Long> pendingStartOf = new LongMap<>();
    private @Nullable NodeGangSizes nodeGangSizes;
    private @Nullable ComposedPolicy timeSlicing;

    /**
     * @param moves whether spread jobs move at all
     * @param suspends whether victims may be suspended in place
     */
    public Gandiva(long leaseMillis, boolean moves, boolean suspends) {
        this.suspends = suspends;
        this.order = new LeaseOrder(leaseMillis, LeaseOrder.Criterion.LATEST_START, false);
        this.moves = moves ? ConsolidatingMoves.always() : null;
    }

    @Override
    public Plan decide(View view) {
        ComposedPolicy sliced = timeSlicing(view);
        for (JobView job : view.changedJobs()) {
            observe(job);
            observePending(job, view);
            if (moves != null) {
                moves.observe(job, view.topology());
            }
        }
        if (moves == null) {
            return sliced.decide(view);
        }
        List<Action> before = moves.movesBefore(view, job -> goesBeforePending(job, view.nowMillis()));
        Plan plan = sliced.decide(view);
        if (!before.isEmpty()) {
            List<Action> actions = new ArrayList<>(before);
            actions.addAll(plan.actions());
            plan = new Plan(actions, plan.declined(), plan.pendingReasons(), plan.reconsiderAtMillis());
        }
        return moves.addMoves(plan, view);
    }

    /** A job at the end of its lease may have to leave, so it does not move before the pending jobs are served. */
    private boolean goesBeforePending(JobView job, long nowMillis) {
        return order.protectedUntilMillis(job, nowMillis) > nowMillis
                && (pendingStarts.isEmpty() || job.startedMillis() > pendingStarts.lastKey());
    }

    private void observePending(JobView job, View view) {
        Long was = pendingStartOf.remove(job.id());
        if (was != null) {
            pendingStarts.merge(was, -1, (a, b) -> a + b == 0 ? null : a + b);
        }
        if (view.isWaiting(job)) {
            long start = LeaseOrder.lastStartMillis(job);
            pendingStartOf.put(job.id(), start);
            pendingStarts.merge(start, 1, Integer::sum);
        }
    }

    private ComposedPolicy timeSlicing(View view) {
        ComposedPolicy current = timeSlicing;
        if (current == null) {
            nodeGangSizes = new NodeGangSizes(view.topology().nodes().size());
            current = new ComposedPolicy(
                    order,
                    ResumingPlacement.of(new AffinityPlacement(nodeGangSizes), suspends),
                    new PriorityPreemption(),
                    false);
            timeSlicing = current;
        }
        return current;
    }

    private void observe(JobView job) {
        NodeGangSizes gangSizes = Objects.requireNonNull(nodeGangSizes);
        Allocation was = placed.remove(job.id());
        if (was != null) {
            gangSizes.remove(was);
        }
        Allocation held = job.state().holdsGpus() ? job.allocation() : null;
        if (held != null) {
            placed.put(job.id(), held);
            gangSizes.add(held);
        }
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        return timeSlicing(view).explain(view, job);
    }
}
