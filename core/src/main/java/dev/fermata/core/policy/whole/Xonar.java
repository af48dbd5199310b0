package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.loop.Whys;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Placement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Orders the queue by who goes well with whom. On empty GPUs the first job that fits starts; beside running jobs, the one
 * whose active and idle times complement theirs best, and only within the memory that is left. Nobody is ever paused.
 *
 * <p>A job that others have passed over {@code maxSkip} times goes next: until it fits, nobody else starts. A gang shares
 * the GPUs of one node only, and is as badly paired as on its worst GPU; beside several jobs the scores add up. A job of
 * unknown memory never shares.
 *
 * <p>Shin et al., "Xonar: Profiling-based Job Orderer for Distributed Deep Learning", IEEE CLOUD 2022; scores and memory
 * guard from the authors' repository, the starvation guard and larger clusters ours. A decision costs the window times the
 * GPUs of nodes on which something changed, and all shared GPUs for each job that is new to the window.
 */
public final class Xonar implements Policy {
    private final PairScore score;
    private final int slots;
    private final int maxSkip;
    private final boolean guard;
    private final Placement empty = new BestFit();
    private final FirstComeLine line;
    private @Nullable BesideSearch beside;
    private FirstComeLine.@Nullable Place blocker;
    private long seenVersion = -1;

    /**
     * @param slots jobs that may share one GPU
     * @param maxSkip how often a job may be passed over before it goes next; 0 keeps the order of arrival
     * @param look how many jobs from the front of the queue are looked at
     * @param guard whether memory decides who may share; only out-of-memory studies turn it off
     */
    public Xonar(PairScore score, int slots, int maxSkip, int look, boolean guard) {
        this.score = score;
        this.slots = slots;
        this.maxSkip = maxSkip;
        this.guard = guard;
        this.line = new FirstComeLine(look);
    }

    @Override
    public Plan decide(View view) {
        BesideSearch search = beside(view);
        search.update(view);
        line.update(view);
        List<Action> actions = new ArrayList<>();
        boolean appeared = seenVersion != view.capacityVersion();
        seenVersion = view.capacityVersion();
        Set<Demand> refused = new HashSet<>();
        while (true) {
            List<FirstComeLine.Place> window = line.window();
            if (block(window)) {
                search.forget();
                appeared = true;
            }
            List<FirstComeLine.Place> asked = blocker == null ? window : List.of(blocker);
            BesideSearch.Choice choice = onEmpty(asked, view.draft().space(), appeared, refused);
            if (choice == null) {
                choice = slots > 1 ? search.best(asked, view.draft().space()) : null;
            }
            if (choice == null) {
                window.forEach(place -> place.seen = true);
                return new Plan(actions, verdicts(view), Plan.NEVER);
            }
            actions.add(new Action.Start(choice.place().job.id(), choice.allocation()));
            view.draft().take(choice.place().job, choice.allocation());
            line.start(choice.place());
            search.start(choice.place(), choice.allocation());
        }
    }

    /** Finds the first job that was passed over too often; answers whether it is another than before. */
    private boolean block(List<FirstComeLine.Place> window) {
        FirstComeLine.Place was = blocker;
        blocker = null;
        for (int i = 0; i < window.size() && blocker == null; i++) {
            blocker = window.get(i).passedOver >= maxSkip ? window.get(i) : null;
        }
        return was != blocker;
    }

    /** The first job that fits on GPUs of its own; under the score without pairs, the one with the highest A/I. */
    private BesideSearch.@Nullable Choice onEmpty(
            List<FirstComeLine.Place> asked, Space space, boolean appeared, Set<Demand> refused) {
        BesideSearch.Choice found = null;
        for (FirstComeLine.Place place : asked) {
            boolean better = found == null
                    || (score == PairScore.NEW
                            && place.beat.ratio() > found.place().beat.ratio());
            Demand demand = place.job.job().demand();
            if (!better || (place.seen && !appeared) || refused.contains(demand)) {
                continue;
            }
            Allocation alone = empty.place(space, place.job, Horizon.NOW);
            if (alone == null) {
                refused.add(demand); // what is free only gets less while we decide
                continue;
            }
            boolean shared = slots > 1 && demand.gpuMemoryMib() > 0;
            Allocation allocation = shared ? Allocation.of(space.topology(), alone.toArray(), true) : alone;
            found = new BesideSearch.Choice(place, allocation, 0);
            if (score != PairScore.NEW) {
                return found;
            }
        }
        return found;
    }

    private List<Verdict> verdicts(View view) {
        FirstComeLine.Place first = blocker;
        return first == null
                ? List.of()
                : List.of(Whys.doesNotFit(first.job, view.draft().space()));
    }

    private BesideSearch beside(View view) {
        BesideSearch current = beside;
        if (current == null) {
            current = new BesideSearch(view, score, slots, guard);
            beside = current;
        }
        return current;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        FirstComeLine.Place place = line.place(job);
        if (place == null) {
            return Verdict.of(
                    job.id(), Reason.NOT_YET_CONSIDERED, job.job().demand().minGpus(), 0);
        }
        Verdict fits = Whys.doesNotFit(job, view.space());
        if (blocker != null && blocker != place) {
            return new Verdict(job.id(), Reason.RESERVATION, fits.needed(), fits.available(), blocker.job.id(), -1);
        }
        int ahead = line.ahead(place);
        if (line.beyondWindow(place)) {
            return new Verdict(job.id(), Reason.PRIORITY, fits.needed(), fits.available(), ahead, -1);
        }
        return new Verdict(job.id(), fits.reason(), fits.needed(), fits.available(), ahead, -1);
    }
}
