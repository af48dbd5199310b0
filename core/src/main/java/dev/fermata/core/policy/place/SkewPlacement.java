package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Tier;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tiresias' placement as the Dally authors simulate it: models whose gradients sit in few large layers must be placed
 * together, all others go anywhere. In their code a slip leaves the rack branch open for all; {@code slip} does the
 * same.
 *
 * <p>Gu et al., "Tiresias", NSDI 2019; the list of skewed models and the slip are from the Dally authors' simulator.
 */
public final class SkewPlacement implements Placement {
    /** Beginnings of the names of models that consolidate. */
    private static final List<String> SKEWED = List.of("mobilenet", "alexnet", "vgg");

    private final TierPlacement tierPlacement = new TierPlacement();
    private final Tier skewedTier;
    private final LocalityTolerance tolerance = this::acceptedTier;
    private final Map<String, Tier> known = new HashMap<>();

    public SkewPlacement(boolean slip) {
        skewedTier = slip ? Tier.RACK : Tier.NODE;
    }

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public LocalityTolerance tolerance() {
        return tolerance;
    }

    private Tier acceptedTier(JobView job) {
        return known.computeIfAbsent(job.job().profile().model(), this::tierForModel);
    }

    private Tier tierForModel(String model) {
        String name = model.toLowerCase(Locale.ROOT);
        return SKEWED.stream().anyMatch(name::startsWith) ? skewedTier : Tier.NETWORK;
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return tierPlacement.requiresOneNode(capacity, job, type, gpus, acceptedTier(job));
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return tierPlacement.choose(capacity, job, type, gpus, horizon, acceptedTier(job));
    }
}
