package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.composed.PendingReasons;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Placement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Orders the queue by how well jobs share GPUs. On empty GPUs the first job that fits starts; on GPUs in use, the one whose
 * active and idle times complement theirs best, and only within the memory that is left. It never preempts.
 *
 * <p>A job that others have passed over {@code maxSkip} times goes next ({@link StarvationGuard}). A gang shares the GPUs of
 * one node only, and scores as on its worst GPU; with several co-located jobs the scores add up. A job of unknown memory
 * never shares.
 *
 * <p>Shin et al., "Xonar: Profiling-based Job Orderer for Distributed Deep Learning", IEEE CLOUD 2022; scores and memory
 * guard from the authors' repository, the starvation guard and larger clusters are additions. A decision costs the window times the
 * GPUs of nodes on which something changed, and all shared GPUs for each job that is new to the window.
 */
public final class Xonar implements Policy {
    private final CoRunScore score;
    private final int slots;
    private final boolean guard;
    private final Placement empty = new BestFit();
    private final ArrivalQueue queue;
    private final StarvationGuard starvation;
    private @Nullable CoLocationSearch coLocationSearch;
    private long seenVersion = -1;

    /**
     * @param slots jobs that may share one GPU
     * @param maxSkip how often a job may be passed over before it goes next; 0 keeps the order of arrival
     * @param windowSize how many jobs from the front of the queue are looked at
     * @param guard whether memory decides which jobs may share; only out-of-memory studies turn it off
     */
    public Xonar(CoRunScore score, int slots, int maxSkip, int windowSize, boolean guard) {
        this.score = score;
        this.slots = slots;
        this.guard = guard;
        this.queue = new ArrivalQueue(windowSize);
        this.starvation = new StarvationGuard(maxSkip);
    }

    @Override
    public Plan decide(View view) {
        CoLocationSearch search = coLocationSearch(view);
        search.update(view);
        queue.update(view);
        starvation.beginDecision();
        return new CoLocationPass(view, search).run();
    }

    /** One decision: starts jobs one by one until no other fits. */
    private final class CoLocationPass {
        private final View view;
        private final FreeCapacity capacity;
        private final CoLocationSearch search;
        private final List<Action> actions = new ArrayList<>();
        private final List<PendingReason> pendingReasons = new ArrayList<>();
        /** What did not fit on empty GPUs; what is free only gets less during a decision. */
        private final Set<Demand> refused = new HashSet<>();

        private ArrivalQueue.@Nullable QueuedJob examined;
        private boolean capacityAppeared;

        CoLocationPass(View view, CoLocationSearch search) {
            this.view = view;
            this.capacity = view.draft().capacity();
            this.search = search;
            this.capacityAppeared = seenVersion != view.capacityVersion();
            seenVersion = view.capacityVersion();
        }

        Plan run() {
            for (CoLocationSearch.CoLocationChoice choice = next(); choice != null; choice = next()) {
                actions.add(new Action.Start(choice.place().job.id(), choice.allocation()));
                view.draft().allocate(choice.place().job, choice.allocation());
                queue.start(choice.place());
                search.start(choice.place(), choice.allocation());
            }
            return new Plan(actions, pendingReasons, Plan.NEVER);
        }

        private CoLocationSearch.@Nullable CoLocationChoice next() {
            List<ArrivalQueue.QueuedJob> window = queue.window();
            if (starvation.update(queue, window, capacity)) {
                search.invalidate();
                capacityAppeared = true;
                addStarvingReason();
            }
            CoLocationSearch.CoLocationChoice choice = placeStarved();
            if (choice == null) {
                starvation.reserveNodes(view.draft());
                choice = placeOnEmpty(window);
            }
            if (choice == null && slots > 1) {
                choice = search.findBest(window, starvation.reservedNodes(), capacity);
            }
            if (choice == null) {
                window.forEach(place -> place.examined = true);
            }
            return choice;
        }

        /** Whether the job that goes next fits now. It is looked at once in a decision: what is free only gets less. */
        private CoLocationSearch.@Nullable CoLocationChoice placeStarved() {
            ArrivalQueue.QueuedJob first = starvation.next();
            if (first == null || first == examined || (!capacityAppeared && search.isUnchanged())) {
                return null;
            }
            examined = first;
            CoLocationSearch.CoLocationChoice alone = placeOnEmpty(List.of(first));
            return alone != null || slots == 1 ? alone : search.findAnywhere(first, capacity);
        }

        private void addStarvingReason() {
            ArrivalQueue.QueuedJob first = starvation.next();
            if (first != null) {
                pendingReasons.add(PendingReasons.forUnfit(first.job, capacity));
            }
        }

        /** The first job that fits on GPUs of its own; under the score without pairs, the one with the highest A/I. */
        private CoLocationSearch.@Nullable CoLocationChoice placeOnEmpty(List<ArrivalQueue.QueuedJob> asked) {
            CoLocationSearch.CoLocationChoice found = null;
            for (ArrivalQueue.QueuedJob place : asked) {
                Demand demand = place.job.job().demand();
                if ((place.examined && !capacityAppeared) || refused.contains(demand) || !isBetter(place, found)) {
                    continue;
                }
                Allocation alone = empty.place(capacity, place.job, Horizon.NOW);
                if (alone == null) {
                    refused.add(demand);
                    continue;
                }
                boolean shared = slots > 1 && demand.gpuMemoryMib() > 0;
                Allocation allocation = shared ? Allocation.of(capacity.topology(), alone.toArray(), true) : alone;
                found = new CoLocationSearch.CoLocationChoice(place, allocation, 0);
            }
            return found;
        }

        private boolean isBetter(ArrivalQueue.QueuedJob place, CoLocationSearch.@Nullable CoLocationChoice found) {
            return found == null
                    || (score == CoRunScore.NEW
                            && place.activeIdle.ratio()
                                    > found.place().activeIdle.ratio());
        }
    }

    private CoLocationSearch coLocationSearch(View view) {
        CoLocationSearch current = coLocationSearch;
        if (current == null) {
            current = new CoLocationSearch(view, score, slots, guard);
            coLocationSearch = current;
        }
        return current;
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        ArrivalQueue.QueuedJob place = queue.place(job);
        if (place == null) {
            return new PendingReason.NotYetConsidered(job.id());
        }
        ArrivalQueue.QueuedJob first = starvation.next();
        boolean blockedByReservation = PendingReasons.hasEnoughGpus(job, view.capacity())
                || starvation.reservedNodes().cardinality()
                        == view.topology().nodes().size();
        if (first != null && first != place && blockedByReservation) {
            return PendingReasons.forReservation(job, view.capacity(), first.job.id());
        }
        return queue.isBeyondWindow(place)
                ? PendingReasons.forPriority(job, view.capacity(), queue.countAhead(place))
                : PendingReasons.forUnfit(job, view.capacity());
    }
}
