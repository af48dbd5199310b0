package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.PriorityPreemption;
import org.jspecify.annotations.Nullable;

/**
 * The engine of the Dally authors' simulator: GPUs are held for a lease, then handed out again in some order by some
 * placement. With the most network-hurt first and delay-scheduled placement it is Dally; with least attained service
 * first and the rule of skewed models it is what they compare with as Tiresias. Their engine places every job again when a
 * lease ends, so that a job far apart gets closer as soon as there is room; here such a job moves, if a lease at the
 * better speed is worth the move, or yields (see {@link LeaseOrder}).
 *
 * <p>Sharma et al., "GPU Cluster Scheduling for Network-Sensitive Deep Learning", 2024 (arXiv 2401.16492); details from
 * the authors' simulator. O(demand classes · nodes) a decision, and O(spread jobs) when capacity appeared.
 */
public final class LeasePolicy implements Policy {
    private final ComposedPolicy timeSlicing;
    private final @Nullable ConsolidatingMoves moves;

    /** @param replacement whether jobs far apart are placed again at the end of their leases */
    public LeasePolicy(long leaseMillis, LeaseOrder.Criterion by, Placement placement, boolean replacement) {
        this.timeSlicing = new ComposedPolicy(
                new LeaseOrder(leaseMillis, by, replacement), placement, new PriorityPreemption(), false);
        this.moves = replacement ? ConsolidatingMoves.afterLeases(leaseMillis) : null;
    }

    @Override
    public Plan decide(View view) {
        if (moves == null) {
            return timeSlicing.decide(view);
        }
        for (JobView job : view.changedJobs()) {
            moves.observe(job, view.topology());
        }
        return moves.addMoves(timeSlicing.decide(view), view);
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        return timeSlicing.explain(view, job);
    }
}
