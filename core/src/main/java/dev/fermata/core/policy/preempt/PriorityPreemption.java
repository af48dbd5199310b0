package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import java.util.Set;

/**
 * A pending job may take the place of jobs that rank strictly after it. It takes the last first, and no more than it
 * needs. Preemption is taken to be free, as in SRTF, LAS and related policies.
 *
 * <p>Costs O(log running) to see that it cannot be done, O(victims · log running) to do it; placements that insist on
 * one node cost O(nodes).
 */
public final class PriorityPreemption implements PreemptionRule {
    private final KnownSearches searches = new KnownSearches();

    @Override
    public PreemptionAnswer findVictims(
            View view, RankedJobs rankedJobs, RankedJob waiting, Placement placement, Set<RankedJob> exempt) {
        for (int type : waiting.job().typesByPreference()) {
            VictimSearch search =
                    new VictimSearch(view, rankedJobs, waiting, type, placement, v -> !exempt.contains(v));
            if (search.mayHaveRoom() && search.run(searches)) {
                search.apply();
                long id = waiting.job().id();
                return new Feasible(new Action.Preempt(id, search.place(), search.victimIds(), 0, 0), search.victims());
            }
        }
        return NO_VICTIMS;
    }
}
