package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
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

    /** What searches for gangs of one size on one type share, however far apart the gangs may be. */
    private record SizeKey(int type, int minGpus) {}

    /** The nodes that a gang needed at least when a search had all its victims leave, and for which job. */
    private record FailedSearch(RankedJob waiting, int leastNodes) {}

    private final Map<SearchKey, FoundPlace> found = new HashMap<>();
    private final Map<SizeKey, FailedSearch> failed = new HashMap<>();
    private long changes = -1;
    private int mark;

    /** The answer to an earlier search that holds for this job too, or null. */
    @Nullable
    FoundPlace find(View view, RankedJobs rankedJobs, RankedJob waiting, int type, Placement placement) {
        forgetOld(view.draft().mark(), rankedJobs);
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

    private void forgetOld(int steps, RankedJobs rankedJobs) {
        if (changes != rankedJobs.changes() || mark != steps) {
            found.clear();
            failed.clear();
            changes = rankedJobs.changes();
            mark = steps;
        }
    }

    /**
     * Whether a search for this job must fail. An earlier one for a job as large, which ranked no later, had at least the same
     * victims leave, and even then a gang would have been on more nodes than this job accepts.
     */
    boolean mustFail(View view, RankedJobs rankedJobs, RankedJob waiting, int type, Placement placement) {
        forgetOld(view.draft().mark(), rankedJobs);
        FailedSearch known =
                failed.get(new SizeKey(type, waiting.job().job().demand().minGpus()));
        return known != null
                && !waiting.rank().isBefore(known.waiting.rank(), view.nowMillis())
                && known.leastNodes > placement.mostNodes(view.draft().capacity(), waiting.job(), type);
    }

    /**
     * Remembers a search that failed, while the draft shows all its victims leaving.
     *
     * @param before how many steps the draft had without them
     */
    void addFailed(View view, RankedJobs rankedJobs, RankedJob waiting, int type, int before) {
        forgetOld(before, rankedJobs);
        int gpus = waiting.job().job().demand().minGpus();
        failed.putIfAbsent(
                new SizeKey(type, gpus),
                new FailedSearch(waiting, leastNodes(view.draft().capacity(), type, gpus)));
    }

    /** On how many nodes so many GPUs are at least; more than there are GPUs where too few are available. */
    private static int leastNodes(FreeCapacity capacity, int type, int gpus) {
        int end = capacity.topology().nodes().size();
        int nodes = 0;
        int missing = gpus;
        for (int count = capacity.previousAvailableCount(type, Integer.MAX_VALUE, Horizon.SOON);
                count > 0;
                count = capacity.previousAvailableCount(type, count - 1, Horizon.SOON)) {
            for (int node = capacity.nodeWithAvailable(type, count, 0, end, Horizon.SOON);
                    node >= 0;
                    node = capacity.nodeWithAvailable(type, count, node + 1, end, Horizon.SOON)) {
                missing -= count;
                nodes++;
                if (missing <= 0) {
                    return nodes;
                }
            }
        }
        return gpus + 1;
    }

    /** Remembers an answer, before it is applied to the draft. */
    void add(View view, RankedJobs rankedJobs, int type, Placement placement, FoundPlace answer) {
        if (isBySize(answer.waiting, placement)) {
            forgetOld(view.draft().mark(), rankedJobs);
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
