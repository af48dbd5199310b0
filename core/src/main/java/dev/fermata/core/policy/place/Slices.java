package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import org.jspecify.annotations.Nullable;

/** Room for one demand beside others: on GPUs whose jobs let others in, now. */
final class Slices {
    private final Space space;
    private final Demand demand;
    private final int maxJobs;
    private final boolean guard;

    /** @param guard whether memory that was promised is never promised again */
    Slices(Space space, Demand demand, int maxJobs, boolean guard) {
        this.space = space;
        this.demand = demand;
        this.maxJobs = maxJobs;
        this.guard = guard;
    }

    /** Whether this open GPU has room for one more; its host is asked apart. */
    boolean fits(int gpu) {
        return space.sharers(gpu) < maxJobs
                && (!demand.fraction() || demand.gpuMilli() <= space.milliLeft(gpu))
                && (!guard || demand.memoryOn(space.topology(), gpu) <= space.memoryLeftMib(gpu));
    }

    /** The open GPUs of a type of which least is left over: as many as the job needs at least, or null. */
    @Nullable
    Allocation tightest(int type) {
        int[] found = new int[demand.minGpus()];
        int count = 0;
        for (int gpu = space.nextOpen(type, 0); gpu >= 0; gpu = space.nextOpen(type, gpu + 1)) {
            if (fits(gpu) && space.hostRoom(space.topology().nodeOf(gpu), demand, Horizon.NOW) > 0) {
                count = keep(found, count, gpu);
            }
        }
        boolean enough = count == found.length && hostsServe(found);
        return enough ? Allocation.of(space.topology(), found, true) : null;
    }

    /** Keeps those with least left, in that order; of equals the one met first. */
    private int keep(int[] found, int count, int gpu) {
        int at = count;
        while (at > 0 && space.milliLeft(gpu) < space.milliLeft(found[at - 1])) {
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

    private boolean hostsServe(int[] gpus) {
        Allocation all = Allocation.of(space.topology(), gpus.clone(), true);
        for (int k = 0; k < all.nodeCount(); k++) {
            if (space.hostRoom(all.node(k), demand, Horizon.NOW) < all.gpusOn(k)) {
                return false;
            }
        }
        return true;
    }
}
