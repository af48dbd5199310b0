package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.queue.Patience;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lets up to {@code maxJobs} jobs share a GPU: an empty GPU first, else beside others. Who asks for a part of a GPU goes
 * beside others first, where least is left over. With the guard, only within the memory they promised; without it, whoever
 * comes may run out of memory.
 */
public final class Sharing implements Placement {
    private final Placement empty;
    private final int maxJobs;
    private final boolean guard;

    public Sharing(Placement empty, int maxJobs, boolean guard) {
        this.empty = empty;
        this.maxJobs = maxJobs;
        this.guard = guard;
    }

    @Override
    public boolean consolidates() {
        return empty.consolidates();
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return empty.onOneNode(space, job, type, gpus);
    }

    @Override
    public Patience patience() {
        return empty.patience();
    }

    @Override
    public boolean shares() {
        return true;
    }

    /** Sharers may fit where no GPU is free, so the count of free GPUs is no limit here. */
    @Override
    public @Nullable Allocation placeOn(Space space, JobView job, int type, Horizon horizon) {
        Demand demand = job.job().demand();
        if (horizon == Horizon.NOW && demand.fraction()) {
            Allocation parts = new Slices(space, demand, maxJobs, guard).tightest(type);
            if (parts != null) {
                return parts;
            }
        }
        Allocation alone = empty.placeOn(space, job, type, horizon);
        if (alone != null) {
            return horizon == Horizon.NOW && mayShare(demand)
                    ? Allocation.of(space.topology(), alone.toArray(), true)
                    : alone;
        }
        return horizon == Horizon.NOW ? beside(space, job, type) : null;
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        return empty.choose(space, job, type, gpus, horizon);
    }

    private boolean mayShare(Demand demand) {
        return !guard || demand.gpuMemoryMib() > 0 || demand.fraction();
    }

    private @Nullable Allocation beside(Space space, JobView job, int type) {
        Demand demand = job.job().demand();
        if (!mayShare(demand)) {
            return null;
        }
        Slices slices = new Slices(space, demand, maxJobs, guard);
        int[] gpus = new int[demand.minGpus()];
        int[] onNode = new int[space.topology().nodes().size()];
        int count = 0;
        for (int gpu = space.nextOpen(type, 0); gpu >= 0 && count < gpus.length; gpu = space.nextOpen(type, gpu + 1)) {
            int node = space.topology().nodeOf(gpu);
            if (slices.fits(gpu) && onNode[node] < space.hostRoom(node, demand, Horizon.NOW)) {
                onNode[node]++;
                gpus[count++] = gpu;
            }
        }
        // what open GPUs cannot give, empty ones may
        for (int node = 0; node < onNode.length && count < gpus.length; node++) {
            if (space.topology().node(node).type() == type) {
                int room = Math.min(
                        space.onNode(node, Horizon.NOW), space.hostRoom(node, demand, Horizon.NOW) - onNode[node]);
                int take = Math.min(room, gpus.length - count);
                if (take > 0) {
                    space.pick(node, take, gpus, count, Horizon.NOW);
                    count += take;
                }
            }
        }
        return count == gpus.length ? Allocation.of(space.topology(), Arrays.copyOf(gpus, count), true) : null;
    }
}
