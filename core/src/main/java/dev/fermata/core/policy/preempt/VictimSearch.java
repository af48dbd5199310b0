package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.RunningJobs;
import dev.fermata.core.policy.ranking.VictimGroups;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One search for a minimal set of victims on one GPU type that lets a waiting job in. It leaves the draft as it was until
 * its result is applied.
 */
final class VictimSearch {
    private final View view;
    private final Draft draft;
    private final RankedJobs rankedJobs;
    private final RankedJob waiting;
    private final int type;
    private final Placement placement;
    private final Predicate<RankedJob> preemptible;
    private final int need;
    private final int maxGpus;
    private final boolean mayLackHostResources;
    private final long nowMillis;
    private final int mark;
    private long otherwiseMillis = Plan.NEVER;
    private int maxVictims = Integer.MAX_VALUE;
    private final List<RankedJob> victims = new ArrayList<>();
    private @Nullable Allocation place;

    VictimSearch(
            View view,
            RankedJobs rankedJobs,
            RankedJob waiting,
            int type,
            Placement placement,
            Predicate<RankedJob> preemptible) {
        this.view = view;
        this.draft = view.draft();
        this.rankedJobs = rankedJobs;
        this.waiting = waiting;
        this.type = type;
        this.placement = placement;
        this.preemptible = v -> SuspendedHome.isHelpedBy(waiting.job(), v.job()) && preemptible.test(v);
        Demand demand = waiting.job().job().demand();
        this.need = demand.minGpus();
        this.maxGpus = demand.maxGpus();
        this.mayLackHostResources = demand.needsHostResources();
        this.nowMillis = view.nowMillis();
        this.mark = draft.mark();
    }

    /** How much later the job would end at most without victims. */
    void otherwiseMillis(long millis) {
        otherwiseMillis = millis;
    }

    long otherwiseMillis() {
        return otherwiseMillis;
    }

    /** Gives up when it would take more than this many to leave before there is room. */
    VictimSearch limitVictims(int victimsTried) {
        maxVictims = victimsTried;
        return this;
    }

    /** Whether the available GPUs and those of all jobs ranking after it are enough. */
    boolean mayHaveRoom() {
        long soon = draft.capacity().available(type, Horizon.SOON);
        return soon + rankedJobs.running().weightAfter(type, waiting.rank(), nowMillis, need - soon) >= need;
    }

    /** @param searches what earlier searches of this decision found */
    boolean run(KnownSearches searches) {
        tryPlace(); // the jobs that are leaving already may make enough room
        if (place == null) {
            boolean mayFit = true;
            if (requiresOneNode(need)) {
                boolean declines = draft.capacity().nextAvailableCount(type, need, Horizon.SOON) >= 0;
                boolean nodeFound = evictFewestOnOneNode();
                // else all victims together leave no node with enough GPUs
                mayFit = nodeFound || declines || mayLackHostResources || !requiresOneNode(maxGpus);
            }
            if (place == null && mayFit) {
                draft.rollback(mark); // of victims that share their GPUs one node may have too few
                takeLowestRanked(searches);
            } else if (place != null) {
                dropSurplus();
            }
        }
        draft.rollback(mark);
        return place != null;
    }

    /** Finds a place by victims from the last in rank on, or takes what was found for a job before it. */
    private void takeLowestRanked(KnownSearches searches) {
        KnownSearches.FoundPlace known = searches.find(view, rankedJobs, waiting, type, placement);
        if (known == null && searches.mustFail(view, rankedJobs, waiting, type, placement)) {
            victims.clear();
            return;
        }
        if (known == null) {
            victims.clear();
            evictLowestRanked();
            if (place == null && waiting.job().suspension() == null) {
                searches.addFailed(view, rankedJobs, waiting, type, mark);
            }
            List<RankedJob> tried = place == null ? List.of() : List.copyOf(victims);
            if (place != null) {
                dropSurplus();
            }
            draft.rollback(mark);
            known = new KnownSearches.FoundPlace(waiting, tried, List.copyOf(victims), place);
            searches.add(view, rankedJobs, type, placement, known);
        }
        victims.clear();
        victims.addAll(known.victims());
        place = known.place();
    }

    /** The draft shows the victims leaving and the place taken. */
    void apply() {
        draft.rollback(mark);
        for (RankedJob victim : victims) {
            draft.evict(victim.job());
        }
        draft.allocate(waiting.job(), place());
    }

    /** Tries to place the job with this single victim: on its GPUs, or elsewhere with them. The draft stays as it is. */
    boolean runWithSingleVictim(RankedJob single) {
        draft.evict(single.job());
        place = placeOfVictim(single);
        if (place == null) {
            tryPlace();
            place = place != null && usesResourcesOf(single, place) ? place : null;
        }
        victims.clear();
        if (place == null) {
            draft.rollback(mark);
            return false;
        }
        victims.add(single);
        draft.rollback(mark);
        return true;
    }

    boolean isFound() {
        return place != null;
    }

    /** Discards the result. */
    void reset() {
        victims.clear();
        place = null;
    }

    /** Whether a place uses something of what this one leaves: a GPU, or CPU and RAM of its node. */
    private static boolean usesResourcesOf(RankedJob single, Allocation place) {
        Allocation held = single.job().allocation();
        boolean host = single.job().job().demand().needsHostResources();
        for (int i = 0; held != null && i < held.size(); i++) {
            if (place.contains(held.gpu(i))) {
                return true;
            }
        }
        for (int k = 0; host && held != null && k < held.nodeCount(); k++) {
            if (place.gpusOnNode(held.node(k)) > 0) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Allocation placeOfVictim(RankedJob single) {
        boolean accepts = (placement.tolerance().acceptedTypes(waiting.job()) >>> type & 1) != 0;
        if (!accepts || waiting.job().suspension() != null) {
            return null; // a suspended job returns to its own place
        }
        Allocation held = single.job().allocation();
        for (int k = 0; held != null && !held.shared() && k < held.nodeCount(); k++) {
            int room = draft.capacity()
                    .hostCapacityFor(held.node(k), waiting.job().job().demand(), Horizon.SOON);
            if (freedOn(held.node(k), single.job()) >= need && room >= need) {
                int[] gpus = new int[need];
                int count = 0;
                for (int i = 0; count < need; i++) {
                    if (view.topology().nodeOf(held.gpu(i)) == held.node(k)
                            && draft.capacity().isSchedulable(held.gpu(i))) {
                        gpus[count++] = held.gpu(i);
                    }
                }
                return Allocation.of(view.topology(), gpus, false);
            }
        }
        return null;
    }

    /** The running jobs of its type, grouped by what preempting them costs. */
    VictimGroups groups() {
        return rankedJobs.running().groups(type);
    }

    List<RankedJob> victims() {
        return victims;
    }

    List<Long> victimIds() {
        List<Long> ids = new ArrayList<>(victims.size());
        for (RankedJob victim : victims) {
            ids.add(victim.job().id());
        }
        return ids;
    }

    Allocation place() {
        return Objects.requireNonNull(place);
    }

    private void tryPlace() {
        place = draft.capacity().available(type, Horizon.SOON) < need
                ? null
                : placement.placeOn(draft.capacity(), waiting.job(), type, Horizon.SOON);
    }

    /** Evicts from the last in rank on until the job can be placed, or no possible victim is left. */
    private void evictLowestRanked() {
        RunningJobs.LowestRankFirst walk = rankedJobs.running().lowestRankFirst(type, nowMillis);
        long atMost = draft.capacity().available(type, Horizon.SOON);
        int evicted = victims.size();
        for (int i = 0; place == null; i++) {
            RankedJob next = walk.get(i);
            if (next == null || !ranksLower(next) || victims.size() == maxVictims) {
                return;
            }
            if (isPreemptible(next)) {
                victims.add(next);
                atMost += freedBy(next.job());
                for (; atMost >= need && evicted < victims.size(); evicted++) { // with less it needs no try
                    draft.evict(victims.get(evicted).job());
                }
                tryPlace();
            }
        }
    }

    private boolean requiresOneNode(int gpus) {
        return placement.requiresOneNode(draft.capacity(), waiting.job(), type, gpus);
    }

    /** Evicts on the node where fewest must leave; among equals the first. Returns whether there is such a node. */
    private boolean evictFewestOnOneNode() {
        List<RankedJob> best = new OneNodeVictims(view, rankedJobs.running(), waiting, type, this).fewest();
        if (best != null) {
            evict(best);
        }
        return best != null;
    }

    /** Lets every victim stay that the job does not need, the first in rank first. */
    private void dropSurplus() {
        for (int i = victims.size() - 1; i >= 0 && victims.size() > 1; i--) {
            RankedJob kept = victims.get(i);
            int without = draft.capacity().available(type, Horizon.SOON) - freedBy(kept.job());
            if (without >= need || sharesGpus(kept.job())) { // on a shared GPU its leaving may free nothing
                Allocation before = place;
                draft.keep(kept.job());
                tryPlace();
                if (place == null) {
                    draft.evict(kept.job());
                    place = before;
                } else {
                    victims.remove(i);
                }
            }
        }
        dropUnused(place());
    }

    /**
     * Lets the victims stay of which the place uses nothing. Each was needed while others left whose GPUs made the placement
     * choose a place that the job declines.
     */
    private void dropUnused(Allocation found) {
        for (int i = victims.size() - 1; i >= 0; i--) {
            if (!usesResourcesOf(victims.get(i), found)) {
                draft.keep(victims.remove(i).job());
            }
        }
    }

    private boolean sharesGpus(JobView job) {
        Allocation held = job.allocation();
        boolean shares = false;
        for (int i = 0; held != null && i < held.size(); i++) {
            shares |= draft.capacity().jobsOn(held.gpu(i)) > 1;
        }
        return shares;
    }

    /** Starts over with exactly these victims. */
    private void evict(List<RankedJob> chosen) {
        draft.rollback(mark);
        victims.clear();
        victims.addAll(chosen);
        for (RankedJob victim : victims) {
            draft.evict(victim.job());
        }
        tryPlace();
    }

    boolean ranksLower(RankedJob running) {
        return waiting.rank().isBefore(running.rank(), nowMillis);
    }

    boolean isPreemptible(RankedJob running) {
        JobView job = running.job();
        return job.preemptions() < job.job().maxPreemptions() && freedBy(job) > 0 && preemptible.test(running);
    }

    /** GPUs that others may have when this job leaves: not those that are down or drained. */
    private int freedBy(JobView job) {
        Allocation held = job.allocation();
        int freed = 0;
        for (int i = 0; held != null && i < held.size(); i++) {
            freed += draft.capacity().isSchedulable(held.gpu(i)) ? 1 : 0;
        }
        return freed;
    }

    /** The same on one node. */
    int freedOn(int node, JobView job) {
        Allocation held = job.allocation();
        int freed = 0;
        for (int i = 0; held != null && i < held.size(); i++) {
            freed += view.topology().nodeOf(held.gpu(i)) == node
                            && draft.capacity().isSchedulable(held.gpu(i))
                    ? 1
                    : 0;
        }
        return freed;
    }
}
