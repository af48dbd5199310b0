package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Tier;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What searches for victims from the last in rank on found for jobs of each size, until an action is planned. Jobs are met
 * in rank order, and a later job of the same size has the same possible victims less the first in rank. So an answer
 * stands while all victims that were tried rank after the job, and a search that failed fails again.
 */
final class KnownSearches {
    /** All that decides where a job goes whose CPU and RAM do not matter. */
    private record SearchKey(int type, int minGpus, int maxGpus, Tier acceptedTier, boolean acceptsType) {}

    /**
     * What a search found.
     *
     * @param tried the victims before those were dropped that are not needed
     * @param place null if it failed
     */
    record FoundPlace(
            RankedJob waiting,
            List<RankedJob> tried,
            List<RankedJob> victims,
            @Nullable Allocation place) {}

    private final Map<SearchKey, FoundPlace> found = new HashMap<>();
    private long changes = -1;
    private int mark;

    /** The answer to an earlier search that holds for this job too, or null. */
    @Nullable
    FoundPlace find(View view, RankedJobs rankedJobs, RankedJob waiting, int type, Placement placement) {
        if (changes != rankedJobs.changes() || mark != view.draft().mark()) {
            found.clear();
            return null;
        }
        FoundPlace known = isBySize(waiting, placement) ? found.get(key(waiting, type, placement)) : null;
        if (known == null || waiting.rank().isBefore(known.waiting.rank(), view.nowMillis())) {
            return null;
        }
        for (RankedJob victim : known.tried) {
            if (!waiting.rank().isBefore(victim.rank(), view.nowMillis())) {
                return null;
            }
        }
        return known;
    }

    /** Remembers an answer, before it is applied to the draft. */
    void add(View view, RankedJobs rankedJobs, int type, Placement placement, FoundPlace answer) {
        if (isBySize(answer.waiting, placement)) {
            changes = rankedJobs.changes();
            mark = view.draft().mark();
            found.put(key(answer.waiting, type, placement), answer);
        }
    }

    private static boolean isBySize(RankedJob waiting, Placement placement) {
        return placement.placesBySize(waiting.job())
                && !waiting.job().job().demand().needsHostResources();
    }

    private static SearchKey key(RankedJob waiting, int type, Placement placement) {
        JobView job = waiting.job();
        Demand demand = job.job().demand();
        return new SearchKey(
                type,
                demand.minGpus(),
                demand.maxGpus(),
                placement.tolerance().acceptedTier(job),
                (placement.tolerance().acceptedTypes(job) >>> type & 1) != 0);
    }
}
