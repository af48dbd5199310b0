package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.Affinity;
import dev.fermata.core.policy.place.Neighbours;
import dev.fermata.core.policy.preempt.Outrank;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gandiva as Dally's paper compares with it: time-slicing by leases with affinity placement, and whenever capacity
 * appears, one running job that is spread over nodes or racks moves to a closer place if one is free. A move costs what
 * pausing and loading cost; the authors' simulator takes it to be free.
 *
 * <p>Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018; details from the Dally
 * authors' simulator. O(spread jobs) a decision with new capacity.
 */
public final class Gandiva implements Policy {
    private final long leaseMillis;
    private final @Nullable CloserMoves moves;
    private final LongMap<Allocation> placed = new LongMap<>();
    private @Nullable Neighbours neighbours;
    private @Nullable Composed slices;

    /** @param moves whether spread jobs move at all */
    public Gandiva(long leaseMillis, boolean moves) {
        this.leaseMillis = leaseMillis;
        this.moves = moves ? new CloserMoves(leaseMillis, false) : null;
    }

    @Override
    public Plan decide(View view) {
        Composed sliced = slices(view);
        for (JobView job : view.changed()) {
            note(job);
            if (moves != null) {
                moves.note(job, view.topology());
            }
        }
        Plan plan = sliced.decide(view);
        return moves == null ? plan : moves.after(plan, view);
    }

    private Composed slices(View view) {
        Composed current = slices;
        if (current == null) {
            neighbours = new Neighbours(view.topology().nodes().size());
            current = new Composed(
                    new LeaseOrder(leaseMillis, LeaseOrder.By.WAIT, false),
                    new Affinity(neighbours),
                    new Outrank(),
                    false);
            slices = current;
        }
        return current;
    }

    private void note(JobView job) {
        Neighbours noted = Objects.requireNonNull(neighbours);
        Allocation was = placed.remove(job.id());
        if (was != null) {
            noted.left(was);
        }
        Allocation held = job.state().holdsGpus() ? job.allocation() : null;
        if (held != null) {
            placed.put(job.id(), held);
            noted.arrived(held);
        }
    }

    @Override
    public Verdict explain(View view, JobView job) {
        return slices(view).explain(view, job);
    }
}
