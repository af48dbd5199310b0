package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fragmentation gradient descent: a job goes where what is free becomes useless to the fewest of the jobs to be expected. What
 * to expect is learned from the latest jobs. Scores are as coarse as in the authors' code, a hundred steps of a logistic curve
 * over the change in GPUs: nodes that differ by less than about 1/25 of a GPU are equal, and the first of them fills up.
 *
 * <p>Weng et al., "Beware of Fragmentation", USENIX ATC 2023.
 */
public final class LeastFragmentation extends ScoredNodePlacement {
    private static final int STEPS = 100;
    private static final int WHOLE = 1000;
    /** Node states remembered; beyond that the cache is cleared. */
    private static final int MAX_KNOWN = 1 << 16;

    private final TaskMix mix = new TaskMix();
    private final Map<NodeRemainder, Double> fragmentation = new HashMap<>();
    private @Nullable NodeRemainder before;
    private double uselessBefore;
    private int triedFree;
    private long triedScore;

    public LeastFragmentation(int maxJobs, boolean guard) {
        super(maxJobs, guard);
    }

    @Override
    void observe(JobView job) {
        if (mix.observe(job)) {
            fragmentation.clear();
        }
    }

    @Override
    void beginNode(FreeCapacity capacity, Node node, Horizon horizon) {
        before = NodeRemainder.of(capacity, node, horizon);
        uselessBefore = useless(before);
        triedFree = -1;
    }

    @Override
    long onWholeGpus(JobView job, int node, int gpus) {
        Demand demand = job.job().demand();
        return score(before().without(gpus, gpus * demand.cpuMilliPerGpu(), gpus * demand.memoryMibPerGpu()));
    }

    @Override
    long onPartOfGpu(FreeCapacity capacity, JobView job, int node, int gpu) {
        Demand demand = job.job().demand();
        int left = gpu == EMPTY_GPU ? WHOLE : capacity.freeGpuMilli(gpu);
        if (left != triedFree) {
            triedFree = left;
            triedScore =
                    score(before().without(demand.gpuMilli(), left, demand.cpuMilliPerGpu(), demand.memoryMibPerGpu()));
        }
        return triedScore;
    }

    private NodeRemainder before() {
        return Objects.requireNonNull(before, "no node was looked at");
    }

    private long score(NodeRemainder after) {
        double gain = (uselessBefore - useless(after)) / WHOLE;
        return (long) (STEPS / (1 + StrictMath.exp(-gain)));
    }

    private double useless(NodeRemainder state) {
        Double known = fragmentation.get(state);
        if (known == null) {
            if (fragmentation.size() >= MAX_KNOWN) {
                fragmentation.clear();
            }
            known = state.unusableFor(mix.commonShapes());
            fragmentation.put(state, known);
        }
        return known;
    }
}
