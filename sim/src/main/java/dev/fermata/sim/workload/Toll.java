package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import java.util.function.UnaryOperator;

/**
 * What an attempt of a job takes beside its work.
 *
 * @param unseenMillis the last part of its loading, in which it counts as running already: some clusters see that a process is up,
 *     not that its script has loaded; negative where they see so much later that it has
 * @param endsInstead asked to leave when it has no more work than a pause takes, it does that work and ends
 */
public record Toll(Costs costs, long unseenMillis, boolean endsInstead) {
    /** It runs when it has loaded. */
    public Toll(Costs costs) {
        this(costs, 0, false);
    }

    /** How long after its start it counts as running. */
    public long seenMillis(boolean resumed) {
        return Math.max(0, costs.loadMillis(resumed) - unseenMillis);
    }

    Toll with(UnaryOperator<Costs> change) {
        return new Toll(change.apply(costs), unseenMillis, endsInstead);
    }
}
