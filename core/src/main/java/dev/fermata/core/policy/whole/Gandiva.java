package dev.fermata.core.policy.whole;

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
import dev.fermata.core.policy.preempt.PriorityPreemption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva as Dally's paper compares with it: time-slicing by leases with affinity placement. When capacity appears, one
 * running job that is spread over nodes or racks moves to a closer place if one is free. A move costs what preempting
 * and loading cost; the authors' simulator takes it to be free.
 *
 * <p>Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018; details from the Dally
 * authors' simulator. O(spread jobs) a decision with new capacity.
 */
public final class Gandiva implements Policy {
    private final long leaseMillis;
    private final @Nullable ConsolidatingMoves moves;
    private final LongMap<Allocation> placed = new LongMap<>();
    private @Nullable NodeGangSizes nodeGangSizes;
    private @Nullable ComposedPolicy timeSlicing;

    /** @param moves whether spread jobs move at all */
    public Gandiva(long leaseMillis, boolean moves) {
        this.leaseMillis = leaseMillis;
        this.moves = moves ? new ConsolidatingMoves(leaseMillis, false) : null;
    }

    @Override
    public Plan decide(View view) {
        ComposedPolicy sliced = timeSlicing(view);
        for (JobView job : view.changedJobs()) {
            observe(job);
            if (moves != null) {
                moves.observe(job, view.topology());
            }
        }
        Plan plan = sliced.decide(view);
        return moves == null ? plan : moves.addMove(plan, view);
    }

    private ComposedPolicy timeSlicing(View view) {
        ComposedPolicy current = timeSlicing;
        if (current == null) {
            nodeGangSizes = new NodeGangSizes(view.topology().nodes().size());
            current = new ComposedPolicy(
                    new LeaseOrder(leaseMillis, LeaseOrder.Criterion.WAIT, false),
                    new AffinityPlacement(nodeGangSizes),
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
