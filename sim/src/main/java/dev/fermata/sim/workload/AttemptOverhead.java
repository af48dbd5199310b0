package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import java.util.function.UnaryOperator;

/**
 * The overhead of one attempt of a job.
 *
 * @param hiddenLoadMillis the last part of its loading, in which it counts as running already: some clusters see that a
 *     process is up, not that its script has loaded; negative where they see that later
 * @param finishesInsteadOfSaving preempted when it has no more work than saving takes, it does that work and ends
 */
public record AttemptOverhead(Costs costs, long hiddenLoadMillis, boolean finishesInsteadOfSaving) {
    /** It runs when it has loaded. */
    public AttemptOverhead(Costs costs) {
        this(costs, 0, false);
    }

    /** How long after its start it counts as running. */
    public long reportedRunningMillis(boolean resumed) {
        return Math.max(0, costs.loadMillis(resumed) - hiddenLoadMillis);
    }

    AttemptOverhead withCosts(UnaryOperator<Costs> change) {
        return new AttemptOverhead(change.apply(costs), hiddenLoadMillis, finishesInsteadOfSaving);
    }
}
