package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import org.jspecify.annotations.Nullable;

/** Room for the co-location of one demand: GPUs in use whose jobs allow sharing. */
final class ShareableGpus {
    private final FreeCapacity capacity;
    private final Demand demand;
    private final int maxJobs;
    private final boolean guard;

    /** @param guard whether reserved memory is never reserved again */
    ShareableGpus(FreeCapacity capacity, Demand demand, int maxJobs, boolean guard) {
        this.capacity = capacity;
        this.demand = demand;
        this.maxJobs = maxJobs;
        this.guard = guard;
    }

    /** Whether this open GPU has room for one more job; its host is checked apart. */
    boolean fits(int gpu) {
        return capacity.jobsOn(gpu) < maxJobs
                && (!demand.isFractional() || demand.gpuMilli() <= capacity.freeGpuMilli(gpu))
                && (!guard || demand.gpuMemoryOn(capacity.topology(), gpu) <= capacity.freeGpuMemoryMib(gpu));
    }

    /** The open GPUs of a type with the least left over: as many as the job needs at least, or null. */
    @Nullable
    Allocation tightest(int type) {
        int[] found = new int[demand.minGpus()];
        int count = 0;
        for (int gpu = capacity.nextShareable(type, 0); gpu >= 0; gpu = capacity.nextShareable(type, gpu + 1)) {
            if (fits(gpu) && capacity.hostCapacityFor(capacity.topology().nodeOf(gpu), demand, Horizon.NOW) > 0) {
                count = insertTightest(found, count, gpu);
            }
        }
        boolean enough = count == found.length && hostsSuffice(found);
        return enough ? Allocation.of(capacity.topology(), found, true) : null;
    }

    /** Keeps the GPUs with least left, in that order; of equals the one met first. */
    private int insertTightest(int[] found, int count, int gpu) {
        int at = count;
        while (at > 0 && capacity.freeGpuMilli(gpu) < capacity.freeGpuMilli(found[at - 1])) {
            at--;
        }
        if (at == found.length) {
            return count;
        }
        int last = Math.min(count, found.length - 1);
        System.arraycopy(found, at, found, at + 1, last - at);
        found[at] = gpu;
        return last + 1;
    }

    private boolean hostsSuffice(int[] gpus) {
        Allocation all = Allocation.of(capacity.topology(), gpus.clone(), true);
        for (int k = 0; k < all.nodeCount(); k++) {
            if (capacity.hostCapacityFor(all.node(k), demand, Horizon.NOW) < all.gpusOn(k)) {
                return false;
            }
        }
        return true;
    }
}
