package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Suspension;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Another placement, and for a suspended job the nodes where its processes are: as many GPUs there as it left, the same ones
 * first.
 */
public final class ResumingPlacement implements Placement {
    private final Placement others;

    private ResumingPlacement(Placement others) {
        this.others = others;
    }

    /** @param suspends whether jobs are suspended at all */
    public static Placement of(Placement others, boolean suspends) {
        return suspends ? new ResumingPlacement(others) : others;
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        Suspension suspension = job.suspension();
        if (suspension == null) {
            return others.choose(capacity, job, type, gpus, horizon);
        }
        Allocation left = suspension.gpus();
        boolean same = gpus == left.size() && capacity.topology().typeOf(left.gpu(0)) == type;
        return same ? resume(capacity, job, left, horizon) : null;
    }

    private static @Nullable Allocation resume(FreeCapacity capacity, JobView job, Allocation left, Horizon horizon) {
        Demand demand = job.job().demand();
        boolean sameGpus = job.job().costs().suspend().reach() == SuspendCosts.Reach.SAME_GPUS;
        int[] chosen = new int[left.size()];
        int count = 0;
        for (int k = 0; k < left.nodeCount(); k++) {
            int node = left.node(k);
            int need = left.gpusOn(k);
            int available = capacity.availableOnNode(node, horizon);
            if (available < need || capacity.hostCapacityFor(node, demand, horizon) < need) {
                return null;
            }
            int[] open = new int[available];
            capacity.pickGpus(node, available, open, 0, horizon);
            int end = count + need;
            for (int i = 0; i < available && count < end; i++) {
                if (left.contains(open[i])) {
                    chosen[count++] = open[i];
                }
            }
            if (count < end && sameGpus) {
                return null;
            }
            for (int i = 0; i < available && count < end; i++) {
                if (!left.contains(open[i])) {
                    chosen[count++] = open[i];
                }
            }
        }
        Arrays.sort(chosen);
        return Allocation.of(capacity.topology(), chosen, false);
    }

    @Override
    public @Nullable Allocation placeOn(FreeCapacity capacity, JobView job, int type, Horizon horizon) {
        Suspension suspension = job.suspension();
        return suspension == null
                ? others.placeOn(capacity, job, type, horizon)
                : choose(capacity, job, type, suspension.gpus().size(), horizon);
    }

    @Override
    public @Nullable Allocation place(FreeCapacity capacity, JobView job, Horizon horizon) {
        Suspension suspension = job.suspension();
        return suspension == null
                ? others.place(capacity, job, horizon)
                : placeOn(
                        capacity,
                        job,
                        capacity.topology().typeOf(suspension.gpus().gpu(0)),
                        horizon);
    }

    @Override
    public @Nullable Allocation placeExactly(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return job.suspension() == null
                ? others.placeExactly(capacity, job, type, gpus, horizon)
                : choose(capacity, job, type, gpus, horizon);
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return job.suspension() == null && others.requiresOneNode(capacity, job, type, gpus);
    }

    @Override
    public boolean consolidates() {
        return others.consolidates();
    }

    @Override
    public LocalityTolerance tolerance() {
        return others.tolerance();
    }

    @Override
    public long declinedLossMillis(FreeCapacity capacity, JobView job, int type) {
        return job.suspension() == null ? others.declinedLossMillis(capacity, job, type) : Plan.NEVER;
    }

    @Override
    public boolean allowsSharing() {
        return others.allowsSharing();
    }

    @Override
    public boolean mayShare(JobView job, Topology topology) {
        return others.mayShare(job, topology);
    }

    @Override
    public boolean placesBySize(JobView job) {
        return job.suspension() == null && others.placesBySize(job);
    }

    @Override
    public int mostNodes(FreeCapacity capacity, JobView job, int type) {
        return job.suspension() == null ? others.mostNodes(capacity, job, type) : Integer.MAX_VALUE;
    }
}
