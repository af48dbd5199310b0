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
 * <p>A job that others have passed over {@code maxSkip} times goes next ({@link StarvationGuard}). A gang shares the GPUs of one node only, and is as badly paired as on its worst GPU; beside several jobs the scores add up. A job of
 * unknown memory never shares.
 *
 * <p>Shin et al., "Xonar: Profiling-based Job Orderer for Distributed Deep Learning", IEEE CLOUD 2022; scores and memory
 * guard from the authors' repository, the starvation guard and larger clusters ours. A decision costs the window times the
 * GPUs of nodes on which something changed, and all shared GPUs for each job that is new to the window.
 */
public final class Xonar implements Policy {
    private final PairScore score;
    private final int slots;
    private final boolean guard;
    private final Placement empty = new BestFit();
    private final FirstComeLine line;
    private final StarvationGuard starvation;
    private @Nullable BesideSearch beside;
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
        this.guard = guard;
        this.line = new FirstComeLine(look);
        this.starvation = new StarvationGuard(maxSkip);
    }

    @Override
    public Plan decide(View view) {
        BesideSearch search = beside(view);
        search.update(view);
        line.update(view);
        starvation.open();
        return new Pass(view, search).run();
    }

    /** One decision: starts jobs one by one until nobody fits any more. */
    private final class Pass {
        private final View view;
        private final Space space;
        private final BesideSearch search;
        private final List<Action> actions = new ArrayList<>();
        private final List<Verdict> verdicts = new ArrayList<>();
        /** What did not fit on empty GPUs; what is free only gets less while we decide. */
        private final Set<Demand> refused = new HashSet<>();

        private FirstComeLine.@Nullable Place lookedAt;
        private boolean appeared;

        Pass(View view, BesideSearch search) {
            this.view = view;
            this.space = view.draft().space();
            this.search = search;
            this.appeared = seenVersion != view.capacityVersion();
            seenVersion = view.capacityVersion();
        }

        Plan run() {
            for (BesideSearch.Choice choice = next(); choice != null; choice = next()) {
                actions.add(new Action.Start(choice.place().job.id(), choice.allocation()));
                view.draft().take(choice.place().job, choice.allocation());
                line.start(choice.place());
                search.start(choice.place(), choice.allocation());
            }
            return new Plan(actions, verdicts, Plan.NEVER);
        }

        private BesideSearch.@Nullable Choice next() {
            List<FirstComeLine.Place> window = line.window();
            if (starvation.update(line, window, space)) {
                search.forget();
                appeared = true;
                starving();
            }
            BesideSearch.Choice choice = starved();
            if (choice == null) {
                starvation.keep(view.draft());
                choice = onEmpty(window);
            }
            if (choice == null && slots > 1) {
                choice = search.best(window, starvation.kept(), space);
            }
            if (choice == null) {
                window.forEach(place -> place.seen = true);
            }
            return choice;
        }

        /** Whether the job that goes next fits now. It is looked at once in a decision: what is free only gets less. */
        private BesideSearch.@Nullable Choice starved() {
            FirstComeLine.Place first = starvation.next();
            if (first == null || first == lookedAt || (!appeared && search.unchanged())) {
                return null;
            }
            lookedAt = first;
            BesideSearch.Choice alone = onEmpty(List.of(first));
            return alone != null || slots == 1 ? alone : search.anywhere(first, space);
        }

        private void starving() {
            FirstComeLine.Place first = starvation.next();
            if (first != null) {
                verdicts.add(Whys.doesNotFit(first.job, space));
            }
        }

        /** The first job that fits on GPUs of its own; under the score without pairs, the one with the highest A/I. */
        private BesideSearch.@Nullable Choice onEmpty(List<FirstComeLine.Place> asked) {
            BesideSearch.Choice found = null;
            for (FirstComeLine.Place place : asked) {
                Demand demand = place.job.job().demand();
                if ((place.seen && !appeared) || refused.contains(demand) || !better(place, found)) {
                    continue;
                }
                Allocation alone = empty.place(space, place.job, Horizon.NOW);
                if (alone == null) {
                    refused.add(demand);
                    continue;
                }
                boolean shared = slots > 1 && demand.gpuMemoryMib() > 0;
                Allocation allocation = shared ? Allocation.of(space.topology(), alone.toArray(), true) : alone;
                found = new BesideSearch.Choice(place, allocation, 0);
            }
            return found;
        }

        private boolean better(FirstComeLine.Place place, BesideSearch.@Nullable Choice found) {
            return found == null
                    || (score == PairScore.NEW
                            && place.beat.ratio() > found.place().beat.ratio());
        }
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
        FirstComeLine.Place first = starvation.next();
        boolean keptFromIt = fits.available() >= fits.needed()
                || starvation.kept().cardinality() == view.topology().nodes().size();
        if (first != null && first != place && keptFromIt) {
            return new Verdict(job.id(), Reason.RESERVATION, fits.needed(), fits.available(), first.job.id(), -1);
        }
        Reason reason = line.beyondWindow(place) ? Reason.PRIORITY : fits.reason();
        return new Verdict(job.id(), reason, fits.needed(), fits.available(), line.ahead(place), -1);
    }
}
