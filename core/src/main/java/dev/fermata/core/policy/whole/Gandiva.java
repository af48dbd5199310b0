package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.place.Affinity;
import dev.fermata.core.policy.place.Consolidate;
import dev.fermata.core.policy.place.Neighbours;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.Outrank;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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
    private final Placement close = new Consolidate();
    private final Map<Long, JobView> spread = new TreeMap<>();
    private final LongMap<Allocation> placed = new LongMap<>();
    private @Nullable Neighbours neighbours;
    private @Nullable Composed slices;
    private long seenVersion = -1;

    public Gandiva(long leaseMillis) {
        this.leaseMillis = leaseMillis;
    }

    @Override
    public Plan decide(View view) {
        Composed sliced = slices(view);
        for (JobView job : view.changed()) {
            note(job, view.topology());
        }
        Plan plan = sliced.decide(view);
        if (view.capacityVersion() == seenVersion || spread.isEmpty()) {
            return plan;
        }
        seenVersion = view.capacityVersion();
        Action move = firstMove(view, plan);
        if (move == null) {
            return plan;
        }
        List<Action> actions = new ArrayList<>(plan.actions());
        actions.add(move);
        return new Plan(actions, plan.verdicts(), plan.reconsiderAtMillis());
    }

    private Composed slices(View view) {
        Composed current = slices;
        if (current == null) {
            neighbours = new Neighbours(view.topology().nodes().size());
            current = new Composed(new LeaseOrder(leaseMillis, false), new Affinity(neighbours), new Outrank(), false);
            slices = current;
        }
        return current;
    }

    private @Nullable Action firstMove(View view, Plan plan) {
        Set<Long> leaving = new HashSet<>();
        for (Action action : plan.actions()) {
            if (action instanceof Action.Preempt preempt) {
                leaving.addAll(preempt.victims());
            }
        }
        for (JobView job : spread.values()) {
            boolean settled = view.nowMillis() - job.runningMillis() >= leaseMillis;
            boolean spent = job.preemptions() >= job.job().maxPreemptions();
            Allocation here = job.allocation();
            if (!settled || spent || here == null || leaving.contains(job.id())) {
                continue;
            }
            int type = view.topology().typeOf(here.gpu(0));
            Allocation there = close.choose(view.draft().space(), job, type, here.size(), Horizon.NOW);
            if (there != null && there.tier().compareTo(here.tier()) < 0) {
                view.draft().take(job, there);
                return new Action.Move(job.id(), there);
            }
        }
        return null;
    }

    private static boolean couldBeCloser(Allocation held, Topology topology) {
        Shape tightest = topology.tightest(topology.typeOf(held.gpu(0)), held.size());
        return held.tier().compareTo(tightest.tier()) > 0;
    }

    private void note(JobView job, Topology topology) {
        Neighbours noted = Objects.requireNonNull(neighbours);
        spread.remove(job.id());
        Allocation was = placed.remove(job.id());
        if (was != null) {
            noted.left(was);
        }
        Allocation held = job.state().holdsGpus() ? job.allocation() : null;
        if (held != null) {
            placed.put(job.id(), held);
            noted.arrived(held);
            if (job.state() == JobState.RUNNING && couldBeCloser(held, topology)) {
                spread.put(job.id(), job);
            }
        }
    }

    @Override
    public Verdict explain(View view, JobView job) {
        return slices(view).explain(view, job);
    }
}
