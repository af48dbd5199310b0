package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Tier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the node with the highest score among all nodes with room, of any type the job may run on. Of equals it takes
 * the first. A gang is never split unless no empty node could hold it. A job with a fractional demand may go on a GPU
 * shared with other such jobs.
 */
abstract class ScoredNodePlacement implements Placement {
    /** Instead of a GPU's number: one that is empty. */
    static final int EMPTY_GPU = -1;

    private final TierPlacement tierPlacement = new TierPlacement();
    private final BestFit split = new BestFit();
    private final int maxJobs;
    private final boolean guard;

    /** @param maxJobs how many jobs with fractional demands may share a GPU; with 1 each gets a whole one */
    ScoredNodePlacement(int maxJobs, boolean guard) {
        this.maxJobs = maxJobs;
        this.guard = guard;
    }

    /** The node that the next questions are about, as it is at this horizon. */
    void beginNode(FreeCapacity capacity, Node node, Horizon horizon) {}

    /** How good it would be to give the job this many whole GPUs of this node. */
    abstract long onWholeGpus(JobView job, int node, int gpus);

    /** How good it would be to give the job its part of this GPU, or of one that is {@link #EMPTY_GPU}, now. */
    abstract long onPartOfGpu(FreeCapacity capacity, JobView job, int node, int gpu);

    /** Every job that is to be placed, however often. */
    void observe(JobView job) {}

    @Override
    public boolean allowsSharing() {
        return maxJobs > 1;
    }

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return tierPlacement.requiresOneNode(capacity, job, type, gpus, Tier.NODE);
    }

    @Override
    public @Nullable Allocation place(FreeCapacity capacity, JobView job, Horizon horizon) {
        observe(job);
        Demand demand = job.job().demand();
        if (maxJobs > 1 && horizon == Horizon.NOW && demand.isFractional() && demand.maxGpus() == 1) {
            return onPartOfGpu(capacity, job);
        }
        for (int gpus = demand.maxGpus(); ; gpus = Math.max(demand.minGpus(), gpus / 2)) {
            Allocation found = onWholeGpus(capacity, job, job.eligibleTypes(), gpus, horizon);
            for (int i = 0; found == null && i < job.typesByPreference().length; i++) {
                found = split(capacity, job, job.typesByPreference()[i], gpus, horizon);
            }
            if (found != null || gpus == demand.minGpus()) {
                return found;
            }
        }
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        observe(job);
        Allocation found = onWholeGpus(capacity, job, 1L << type, gpus, horizon);
        return found != null ? found : split(capacity, job, type, gpus, horizon);
    }

    private @Nullable Allocation split(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return requiresOneNode(capacity, job, type, gpus) ? null : split.choose(capacity, job, type, gpus, horizon);
    }

    private @Nullable Allocation onWholeGpus(
            FreeCapacity capacity, JobView job, long types, int gpus, Horizon horizon) {
        int best = -1;
        long max = Long.MIN_VALUE;
        for (Node node : capacity.topology().nodes()) {
            boolean room = (types >> node.type() & 1) != 0
                    && capacity.availableOnNode(node.index(), horizon) >= gpus
                    && capacity.hostCapacityFor(node.index(), job.job().demand(), horizon) >= gpus;
            if (room) {
                beginNode(capacity, node, horizon);
                long score = onWholeGpus(job, node.index(), gpus);
                if (best < 0 || score > max) {
                    best = node.index();
                    max = score;
                }
            }
        }
        return best < 0 ? null : allocate(capacity, best, gpus, horizon, false);
    }

    private @Nullable Allocation onPartOfGpu(FreeCapacity capacity, JobView job) {
        ShareableGpus shareableGpus = new ShareableGpus(capacity, job.job().demand(), maxJobs, guard);
        int bestNode = -1;
        int bestGpu = EMPTY_GPU;
        long max = Long.MIN_VALUE;
        for (Node node : capacity.topology().nodes()) {
            boolean room = (job.eligibleTypes() >> node.type() & 1) != 0
                    && capacity.hostCapacityFor(node.index(), job.job().demand(), Horizon.NOW) > 0;
            if (!room) {
                continue;
            }
            beginNode(capacity, node, Horizon.NOW);
            int end = node.firstGpu() + node.gpus();
            // the empty one last: of equals, one that is in use
            for (int i = node.firstGpu(); i <= end; i++) {
                int gpu = i == end ? EMPTY_GPU : i;
                boolean fits = gpu == EMPTY_GPU
                        ? capacity.availableOnNode(node.index(), Horizon.NOW) > 0
                        : capacity.isShareable(gpu) && shareableGpus.fits(gpu);
                long score = fits ? onPartOfGpu(capacity, job, node.index(), gpu) : 0;
                if (fits && (bestNode < 0 || score > max)) {
                    bestNode = node.index();
                    bestGpu = gpu;
                    max = score;
                }
            }
        }
        if (bestNode < 0) {
            return null;
        }
        return bestGpu == EMPTY_GPU
                ? allocate(capacity, bestNode, 1, Horizon.NOW, true)
                : Allocation.of(capacity.topology(), new int[] {bestGpu}, true);
    }

    private static Allocation allocate(FreeCapacity capacity, int node, int gpus, Horizon horizon, boolean shared) {
        int[] taken = new int[gpus];
        capacity.pickGpus(node, gpus, taken, 0, horizon);
        return Allocation.of(capacity.topology(), taken, shared);
    }
}
