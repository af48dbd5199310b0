package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Tier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every node with room, whatever its type among those the job may run on, and takes the one with the highest score;
 * of equals the first. A gang is never split unless no empty node could hold it. A job that asks for a part of one GPU may go
 * beside others of its kind.
 */
abstract class NodeChoice implements Placement {
    /** Instead of a GPU's number: one that is empty. */
    static final int EMPTY = -1;

    private final Together together = new Together();
    private final BestFit split = new BestFit();
    private final int maxJobs;
    private final boolean guard;

    /** @param maxJobs how many jobs that ask for parts may share a GPU; with 1 each gets a whole one */
    NodeChoice(int maxJobs, boolean guard) {
        this.maxJobs = maxJobs;
        this.guard = guard;
    }

    /** The node that the next questions are about, as it is at this horizon. */
    void look(Space space, Node node, Horizon horizon) {}

    /** How good it would be to give the job so many whole GPUs of this node. */
    abstract long whole(JobView job, int node, int gpus);

    /** How good it would be to give the job its part of this GPU, or of one that is {@link #EMPTY}, now. */
    abstract long part(Space space, JobView job, int node, int gpu);

    /** Every job that is to be placed, however often it comes. */
    void meet(JobView job) {}

    @Override
    public boolean shares() {
        return maxJobs > 1;
    }

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return together.onOneNode(space, job, type, gpus, Tier.NODE);
    }

    @Override
    public @Nullable Allocation place(Space space, JobView job, Horizon horizon) {
        meet(job);
        Demand demand = job.job().demand();
        if (maxJobs > 1 && horizon == Horizon.NOW && demand.fraction() && demand.maxGpus() == 1) {
            return part(space, job);
        }
        for (int gpus = demand.maxGpus(); ; gpus = Math.max(demand.minGpus(), gpus / 2)) {
            Allocation found = whole(space, job, job.eligibleTypes(), gpus, horizon);
            for (int i = 0; found == null && i < job.typesByPreference().length; i++) {
                found = split(space, job, job.typesByPreference()[i], gpus, horizon);
            }
            if (found != null || gpus == demand.minGpus()) {
                return found;
            }
        }
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        meet(job);
        Allocation found = whole(space, job, 1L << type, gpus, horizon);
        return found != null ? found : split(space, job, type, gpus, horizon);
    }

    private @Nullable Allocation split(Space space, JobView job, int type, int gpus, Horizon horizon) {
        return onOneNode(space, job, type, gpus) ? null : split.choose(space, job, type, gpus, horizon);
    }

    private @Nullable Allocation whole(Space space, JobView job, long types, int gpus, Horizon horizon) {
        int best = -1;
        long most = Long.MIN_VALUE;
        for (Node node : space.topology().nodes()) {
            boolean room = (types >> node.type() & 1) != 0
                    && space.onNode(node.index(), horizon) >= gpus
                    && space.hostRoom(node.index(), job.job().demand(), horizon) >= gpus;
            if (room) {
                look(space, node, horizon);
                long score = whole(job, node.index(), gpus);
                if (best < 0 || score > most) {
                    best = node.index();
                    most = score;
                }
            }
        }
        return best < 0 ? null : take(space, best, gpus, horizon, false);
    }

    private @Nullable Allocation part(Space space, JobView job) {
        Slices slices = new Slices(space, job.job().demand(), maxJobs, guard);
        int bestNode = -1;
        int bestGpu = EMPTY;
        long most = Long.MIN_VALUE;
        for (Node node : space.topology().nodes()) {
            boolean room = (job.eligibleTypes() >> node.type() & 1) != 0
                    && space.hostRoom(node.index(), job.job().demand(), Horizon.NOW) > 0;
            if (!room) {
                continue;
            }
            look(space, node, Horizon.NOW);
            int end = node.firstGpu() + node.gpus();
            // the empty one last: of equals, one that is in use
            for (int i = node.firstGpu(); i <= end; i++) {
                int gpu = i == end ? EMPTY : i;
                boolean fits = gpu == EMPTY
                        ? space.onNode(node.index(), Horizon.NOW) > 0
                        : space.open(gpu) && slices.fits(gpu);
                long score = fits ? part(space, job, node.index(), gpu) : 0;
                if (fits && (bestNode < 0 || score > most)) {
                    bestNode = node.index();
                    bestGpu = gpu;
                    most = score;
                }
            }
        }
        if (bestNode < 0) {
            return null;
        }
        return bestGpu == EMPTY
                ? take(space, bestNode, 1, Horizon.NOW, true)
                : Allocation.of(space.topology(), new int[] {bestGpu}, true);
    }

    private static Allocation take(Space space, int node, int gpus, Horizon horizon, boolean shared) {
        int[] taken = new int[gpus];
        space.pick(node, gpus, taken, 0, horizon);
        return Allocation.of(space.topology(), taken, shared);
    }
}
