package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Xion's rule: jobs are preempted for one that ranks before them only when that gains more than it costs (see
 * {@link CostBenefit}). The victims are a minimal set of the jobs that rank after it, the last first. It never preempts a
 * job that is still loading, nor one that would end before it could be saved and loaded again.
 *
 * <p>With a weight for trial jobs, FitGpp's aim is added: a trial is awaited, so its waiting counts that many times, and it
 * gets the place of the one victim that leaves soonest and wastes least, where one is enough.
 *
 * <p>Go et al., "Selective Preemption of Distributed Deep Learning Training", IEEE CLOUD 2023. The paper's abstract gives
 * the principle; the inequality is Fermata's. Costs what {@link PriorityPreemption} costs; for a trial O(running jobs of a type).
 */
public final class CostBenefitPreemption implements PreemptionRule {
    /** How many jobs besides beneficiary and victims are delayed when GPU-time is lost to saving and loading. */
    public interface DelayedJobs {
        double count(View view, RankedJobs rankedJobs, JobView beneficiary);
    }

    /** Every victim is delayed by the newcomer's whole run. Large sets never pay, so the search ends early. */
    private static final int EXTRA_VICTIMS = 16;

    /** How many of the cheapest victims are tried in place before the general search. */
    private static final int MAX_TRIED = 64;

    private final JobOrder order;
    private final DelayedJobs delayedJobs;
    private final double margin;
    private final double trialWeight;
    private final boolean countsIdleGpus;

    /**
     * @param order ranks jobs and estimates their remaining work
     * @param margin the gain must exceed the cost by this share of it
     * @param trialWeight how many times a trial's waiting counts; 1 treats trials like all others
     * @param countsIdleGpus whether GPUs that are idle before or afterwards count
     */
    public CostBenefitPreemption(
            JobOrder order, DelayedJobs delayedJobs, double margin, double trialWeight, boolean countsIdleGpus) {
        this.order = order;
        this.delayedJobs = delayedJobs;
        this.margin = margin;
        this.trialWeight = trialWeight;
        this.countsIdleGpus = countsIdleGpus;
    }

    @Override
    public PreemptionAnswer findVictims(
            View view, RankedJobs rankedJobs, RankedJob waiting, Placement placement, Set<RankedJob> exempt) {
        PreemptionAnswer answer = NO_VICTIMS;
        int mark = view.draft().mark();
        for (int type : waiting.job().typesByPreference()) {
            VictimSearch search = new VictimSearch(
                            view,
                            rankedJobs,
                            waiting,
                            type,
                            placement,
                            v -> !exempt.contains(v) && outlastsPreemption(view, v.job()))
                    .limitVictims(waiting.job().job().demand().minGpus() + EXTRA_VICTIMS);
            if (!search.mayHaveRoom()) {
                continue;
            }
            CostBenefit declined = tryCheapestVictims(view, rankedJobs, waiting, search);
            if (search.isFound() || search.run()) {
                CostBenefit costBenefit = costBenefit(view, rankedJobs, waiting, search);
                if (search.victims().isEmpty() || isWorthIt(costBenefit)) {
                    return new Feasible(action(waiting, search, costBenefit), search.victims());
                }
                view.draft().rollback(mark);
                answer = new NotWorthIt(search.victims().size(), costBenefit.gainMillis(), costBenefit.costMillis());
            } else if (declined != null) {
                answer = new NotWorthIt(1, declined.gainMillis(), declined.costMillis());
            }
        }
        return answer;
    }

    /** A trial's waiting counts many times, and so does that of a job so overdue that no job may overtake it. */
    private double weight(RankedJob entry) {
        boolean urgent = entry.job().job().jobClass() == JobClass.TRIAL || order.blocksOthers(entry.rank());
        return urgent ? trialWeight : 1;
    }

    private boolean isWorthIt(CostBenefit costBenefit) {
        return costBenefit.weighedGain() > costBenefit.weighedCost() * (1 + margin);
    }

    /**
     * For a trial, finds the one victim that delays and wastes least, if one is enough and it pays. Returns what the first
     * victim was worth that did not pay, or null.
     */
    private @Nullable CostBenefit tryCheapestVictims(
            View view, RankedJobs rankedJobs, RankedJob waiting, VictimSearch search) {
        double weight = weight(waiting);
        int need = waiting.job().job().demand().minGpus();
        if (weight <= 1) {
            return null;
        }
        double perGpu = delayedJobs.count(view, rankedJobs, waiting.job())
                / view.topology().gpuCount();
        PriorityQueue<PricedVictim> cheapest = new PriorityQueue<>(MAX_TRIED, PricedVictim.CHEAPEST.reversed());
        search.forEachLowerRanked(candidate -> {
            if (candidate.weight() >= need) {
                double lost = candidate.savesWork()
                        ? candidate.leaveAndReturnMillis()
                        : CostBenefit.overheadMillis(view, candidate.job());
                double counts = candidate.isTrial() || order.blocksOthers(candidate.rank()) ? trialWeight : 1;
                double price = weight * candidate.vacateMillis() + lost * (counts + perGpu * candidate.weight());
                keep(
                        new PricedVictim(candidate, price),
                        cheapest,
                        asked -> search.isPreemptible(asked) && view.mayPreempt(asked.job(), waiting.job()));
            }
        });
        List<PricedVictim> priced = new ArrayList<>(cheapest);
        priced.sort(PricedVictim.CHEAPEST);
        CostBenefit declined = null;
        for (PricedVictim next : priced) {
            if (search.runWithSingleVictim(next.entry)) {
                CostBenefit costBenefit = costBenefit(view, rankedJobs, waiting, search);
                if (isWorthIt(costBenefit)) {
                    return null;
                }
                declined = declined == null ? costBenefit : declined;
            }
        }
        search.reset();
        return declined;
    }

    /** Keeps the cheapest possible victims; most of the others need no check. */
    private static void keep(
            PricedVictim next, PriorityQueue<PricedVictim> cheapest, Predicate<RankedJob> preemptible) {
        PricedVictim mostExpensive = cheapest.size() < MAX_TRIED ? null : cheapest.peek();
        if ((mostExpensive == null || PricedVictim.CHEAPEST.compare(next, mostExpensive) < 0)
                && preemptible.test(next.entry)) {
            cheapest.add(next);
            if (cheapest.size() > MAX_TRIED) {
                cheapest.remove();
            }
        }
    }

    private record PricedVictim(RankedJob entry, double price) {
        static final Comparator<PricedVictim> CHEAPEST = (a, b) -> {
            int byPrice = Double.compare(a.price, b.price);
            if (byPrice != 0) {
                return byPrice;
            }
            int byGpus = Integer.compare(a.entry.job().gpus(), b.entry.job().gpus());
            return byGpus != 0
                    ? byGpus
                    : Long.compare(a.entry.job().id(), b.entry.job().id());
        };
    }

    private CostBenefit costBenefit(View view, RankedJobs rankedJobs, RankedJob waiting, VictimSearch search) {
        return CostBenefit.of(
                view,
                order,
                waiting,
                search.place(),
                search.victims(),
                delayedJobs.count(view, rankedJobs, waiting.job()),
                this::weight,
                countsIdleGpus ? GpuUse.change(view, rankedJobs, waiting, search.place(), search.victims()) : 0);
    }

    private static Action.Preempt action(RankedJob waiting, VictimSearch search, CostBenefit costBenefit) {
        return new Action.Preempt(
                waiting.job().id(),
                search.place(),
                search.victimIds(),
                costBenefit.gainMillis(),
                costBenefit.costMillis());
    }

    private boolean outlastsPreemption(View view, JobView victim) {
        return CostBenefit.remainingRunMillis(view, order, victim) > CostBenefit.overheadMillis(view, victim);
    }
}
