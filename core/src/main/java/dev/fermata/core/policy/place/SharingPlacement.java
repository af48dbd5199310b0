package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Co-location of up to {@code maxJobs} jobs on a GPU: an empty GPU first, else one in use. A job with a fractional demand prefers
 * a GPU in use, where least is left over. With the guard, only within the memory they reserve; without it, a new job may
 * run out of memory.
 */
public final class SharingPlacement implements Placement {
    private final Placement exclusive;
    private final int maxJobs;
    private final boolean guard;

    public SharingPlacement(Placement exclusive, int maxJobs, boolean guard) {
        this.exclusive = exclusive;
        this.maxJobs = maxJobs;
        this.guard = guard;
    }

    @Override
    public boolean consolidates() {
        return exclusive.consolidates();
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return exclusive.requiresOneNode(capacity, job, type, gpus);
    }

    @Override
    public LocalityTolerance tolerance() {
        return exclusive.tolerance();
    }

    @Override
    public boolean allowsSharing() {
        return true;
    }

    /** Sharers may fit where no GPU is free, so the count of free GPUs is no limit here. */
    @Override
    public @Nullable Allocation placeOn(FreeCapacity capacity, JobView job, int type, Horizon horizon) {
        Demand demand = job.job().demand();
        if (horizon == Horizon.NOW && demand.isFractional()) {
            Allocation parts = new ShareableGpus(capacity, demand, maxJobs, guard).tightest(type);
            if (parts != null) {
                return parts;
            }
        }
        Allocation alone = exclusive.placeOn(capacity, job, type, horizon);
        if (alone != null) {
            return horizon == Horizon.NOW && mayShare(demand)
                    ? Allocation.of(capacity.topology(), alone.toArray(), true)
                    : alone;
        }
        return horizon == Horizon.NOW ? placeShared(capacity, job, type) : null;
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return exclusive.choose(capacity, job, type, gpus, horizon);
    }

    private boolean mayShare(Demand demand) {
        return !guard || demand.gpuMemoryMib() > 0 || demand.isFractional();
    }

    private @Nullable Allocation placeShared(FreeCapacity capacity, JobView job, int type) {
        Demand demand = job.job().demand();
        if (!mayShare(demand)) {
            return null;
        }
        ShareableGpus shareableGpus = new ShareableGpus(capacity, demand, maxJobs, guard);
        int[] gpus = new int[demand.minGpus()];
        int[] onNode = new int[capacity.topology().nodes().size()];
        int count = 0;
        for (int gpu = capacity.nextShareable(type, 0);
                gpu >= 0 && count < gpus.length;
                gpu = capacity.nextShareable(type, gpu + 1)) {
            int node = capacity.topology().nodeOf(gpu);
            if (shareableGpus.fits(gpu) && onNode[node] < capacity.hostCapacityFor(node, demand, Horizon.NOW)) {
                onNode[node]++;
                gpus[count++] = gpu;
            }
        }
        // what open GPUs cannot give, empty ones may
        for (int node = 0; node < onNode.length && count < gpus.length; node++) {
            if (capacity.topology().node(node).type() == type) {
                int room = Math.min(
                        capacity.availableOnNode(node, Horizon.NOW),
                        capacity.hostCapacityFor(node, demand, Horizon.NOW) - onNode[node]);
                int take = Math.min(room, gpus.length - count);
                if (take > 0) {
                    capacity.pickGpus(node, take, gpus, count, Horizon.NOW);
                    count += take;
                }
            }
        }
        return count == gpus.length ? Allocation.of(capacity.topology(), Arrays.copyOf(gpus, count), true) : null;
    }
}
