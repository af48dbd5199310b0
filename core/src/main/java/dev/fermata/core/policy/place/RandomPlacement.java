package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Mix64;

/**
 * Any node with room, and on it any GPU with room for a part, each as likely as another. Other placements are compared
 * with this one. The choice is a hash of the seed, the job and its attempt, so asking twice changes nothing.
 */
public final class RandomPlacement extends ScoredNodePlacement {
    private static final int GPU_BITS = 20;

    private final long seed;

    public RandomPlacement(long seed, int maxJobs, boolean guard) {
        super(maxJobs, guard);
        this.seed = seed;
    }

    @Override
    long onWholeGpus(JobView job, int node, int gpus) {
        return draw(job, node);
    }

    /** The node decides, then the GPU; empty ones stand for themselves, so they draw as often as there are of them. */
    @Override
    long onPartOfGpu(FreeCapacity capacity, JobView job, int node, int gpu) {
        long ofNode = draw(job, node) >>> GPU_BITS << GPU_BITS;
        int draws = gpu == EMPTY_GPU ? capacity.availableOnNode(node, Horizon.NOW) : 1;
        long ofGpu = 0;
        for (int i = 0; i < draws; i++) {
            ofGpu = Math.max(ofGpu, Mix64.mix(draw(job, node), gpu - i) >>> (Long.SIZE - GPU_BITS));
        }
        return ofNode | ofGpu;
    }

    private long draw(JobView job, int node) {
        return Mix64.mix(Mix64.mix(seed, job.id()), (long) job.attempt() << Integer.SIZE | node);
    }
}
