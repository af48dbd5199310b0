package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.Outrank;
import org.jspecify.annotations.Nullable;

/**
 * The engine of the Dally authors' simulator: GPUs are held for a lease, then handed out anew in some order by some
 * placement. With the most network-hurt first and delay-scheduled placement it is Dally; with least attained service
 * first and the rule of skewed models it is what they compare with as Tiresias. Their engine places everyone anew when a
 * lease ends, so that a job far apart gets closer as soon as there is room; here such a job moves, if a lease at the
 * better pace is worth the move, or yields (see {@link LeaseOrder}).
 *
 * <p>Sharma et al., "GPU Cluster Scheduling for Network-Sensitive Deep Learning", 2024 (arXiv 2401.16492); details from
 * the authors' simulator. O(kinds of demand · nodes) a decision, and O(spread jobs) when capacity appeared.
 */
public final class LeaseEngine implements Policy {
    private final Composed slices;
    private final @Nullable CloserMoves moves;

    /** @param anew whether jobs far apart are placed anew at the end of their leases */
    public LeaseEngine(long leaseMillis, LeaseOrder.By by, Placement placement, boolean anew) {
        this.slices = new Composed(new LeaseOrder(leaseMillis, by, anew), placement, new Outrank(), false);
        this.moves = anew ? new CloserMoves(leaseMillis, true) : null;
    }

    @Override
    public Plan decide(View view) {
        if (moves == null) {
            return slices.decide(view);
        }
        for (JobView job : view.changed()) {
            moves.note(job, view.topology());
        }
        return moves.after(slices.decide(view), view);
    }

    @Override
    public Verdict explain(View view, JobView job) {
        return slices.explain(view, job);
    }
}
