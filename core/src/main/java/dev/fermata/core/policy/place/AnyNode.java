package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Scramble;

/**
 * Any node with room, and on it any GPU with room for a part, each as likely as another: what a placement is worth shows
 * against this one. The choice is a scramble of the seed, the job and its attempt, so asking twice changes nothing.
 */
public final class AnyNode extends NodeChoice {
    private static final int GPU_BITS = 20;

    private final long seed;

    public AnyNode(long seed, int maxJobs, boolean guard) {
        super(maxJobs, guard);
        this.seed = seed;
    }

    @Override
    long whole(JobView job, int node, int gpus) {
        return draw(job, node);
    }

    /** The node decides, then the GPU; empty ones stand for themselves, so they draw as often as there are of them. */
    @Override
    long part(Space space, JobView job, int node, int gpu) {
        long ofNode = draw(job, node) >>> GPU_BITS << GPU_BITS;
        int draws = gpu == EMPTY ? space.onNode(node, Horizon.NOW) : 1;
        long ofGpu = 0;
        for (int i = 0; i < draws; i++) {
            ofGpu = Math.max(ofGpu, Scramble.of(draw(job, node), gpu - i) >>> (Long.SIZE - GPU_BITS));
        }
        return ofNode | ofGpu;
    }

    private long draw(JobView job, int node) {
        return Scramble.of(Scramble.of(seed, job.id()), (long) job.attempt() << Integer.SIZE | node);
    }
}
