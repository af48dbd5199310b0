package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.Delay;
import dev.fermata.core.policy.preempt.Outrank;
import org.jspecify.annotations.Nullable;

/**
 * Dally: delay-scheduled placement over machine, rack and network with timers that tune themselves; whoever the network
 * has hurt most goes first; GPUs are held for a lease. The authors' engine places everyone anew when a lease ends, so
 * that a job which gave in gets closer as soon as there is room; here such a job moves, if a lease at the better pace
 * is worth the move.
 *
 * <p>Sharma et al., "GPU Cluster Scheduling for Network-Sensitive Deep Learning", 2024 (arXiv 2401.16492); details from
 * the authors' simulator. O(kinds of demand · nodes) a decision, and O(spread jobs) when capacity appeared.
 */
public final class Dally implements Policy {
    private final Composed slices;
    private final @Nullable CloserMoves moves;

    public Dally(Delay.Timers timers, boolean moves) {
        LeaseOrder order = new LeaseOrder(timers.leaseMillis(), LeaseOrder.By.NETWORK_SENSITIVITY);
        this.slices = new Composed(order, new Delay(timers), new Outrank(), false);
        this.moves = moves ? new CloserMoves(timers.leaseMillis(), true) : null;
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
