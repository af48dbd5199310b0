package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Tier;
import dev.fermata.core.policy.queue.Patience;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tiresias' placement as the Dally authors simulate it: models whose gradients sit in few large layers insist on being
 * together, all others go anywhere. In their code a slip leaves the rack branch open for everyone; {@code slip} does the
 * same.
 *
 * <p>Gu et al., "Tiresias", NSDI 2019; the list of skewed models and the slip are from the Dally authors' simulator.
 */
public final class Skew implements Placement {
    /** Beginnings of the names of models that consolidate. */
    private static final List<String> SKEWED = List.of("mobilenet", "alexnet", "vgg");

    private final Together together = new Together();
    private final Tier skewedAccept;
    private final Patience patience = this::accepts;
    private final Map<String, Tier> known = new HashMap<>();

    public Skew(boolean slip) {
        skewedAccept = slip ? Tier.RACK : Tier.NODE;
    }

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public Patience patience() {
        return patience;
    }

    private Tier accepts(JobView job) {
        return known.computeIfAbsent(job.job().profile().model(), this::acceptedBy);
    }

    private Tier acceptedBy(String model) {
        String name = model.toLowerCase(Locale.ROOT);
        return SKEWED.stream().anyMatch(name::startsWith) ? skewedAccept : Tier.NETWORK;
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return together.onOneNode(space, job, type, gpus, accepts(job));
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        return together.choose(space, job, type, gpus, horizon, accepts(job));
    }
}
