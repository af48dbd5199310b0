package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
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
public final class LeastFragmentation extends NodeChoice {
    private static final int STEPS = 100;
    private static final int WHOLE = 1000;
    /** Node states remembered; past that it starts anew. */
    private static final int MOST_KNOWN = 1 << 16;

    private final TaskMix mix = new TaskMix();
    private final Map<Remainder, Double> fragmentation = new HashMap<>();
    private @Nullable Remainder before;
    private double uselessBefore;
    private int triedLeft;
    private long triedScore;

    public LeastFragmentation(int maxJobs, boolean guard) {
        super(maxJobs, guard);
    }

    @Override
    void meet(JobView job) {
        if (mix.meet(job)) {
            fragmentation.clear();
        }
    }

    @Override
    void look(Space space, Node node, Horizon horizon) {
        before = Remainder.of(space, node, horizon);
        uselessBefore = useless(before);
        triedLeft = -1;
    }

    @Override
    long whole(JobView job, int node, int gpus) {
        Demand demand = job.job().demand();
        return score(before().without(gpus, gpus * demand.cpuMilliPerGpu(), gpus * demand.memoryMibPerGpu()));
    }

    @Override
    long part(Space space, JobView job, int node, int gpu) {
        Demand demand = job.job().demand();
        int left = gpu == EMPTY ? WHOLE : space.milliLeft(gpu);
        if (left != triedLeft) {
            triedLeft = left;
            triedScore =
                    score(before().without(demand.gpuMilli(), left, demand.cpuMilliPerGpu(), demand.memoryMibPerGpu()));
        }
        return triedScore;
    }

    private Remainder before() {
        return Objects.requireNonNull(before, "no node was looked at");
    }

    private long score(Remainder after) {
        double gain = (uselessBefore - useless(after)) / WHOLE;
        return (long) (STEPS / (1 + StrictMath.exp(-gain)));
    }

    private double useless(Remainder state) {
        Double known = fragmentation.get(state);
        if (known == null) {
            if (fragmentation.size() >= MOST_KNOWN) {
                fragmentation.clear();
            }
            known = state.uselessTo(mix.usual());
            fragmentation.put(state, known);
        }
        return known;
    }
}
