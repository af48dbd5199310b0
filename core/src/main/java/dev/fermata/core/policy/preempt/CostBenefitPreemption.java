package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.PreemptWays;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
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
 * the principle; the inequality is Fermata's. Costs what {@link PriorityPreemption} costs; for a trial O(groups of running jobs).
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
    private final PreemptWays ways;
    private final KnownSearches searches = new KnownSearches();

    /**
     * @param order ranks jobs and estimates their remaining work
     * @param margin the gain must exceed the cost by this share of it
     * @param trialWeight how many times a trial's waiting counts; 1 treats trials like all others
     * @param countsIdleGpus whether GPUs that are idle before or afterwards count
     */
    public CostBenefitPreemption(
            JobOrder order, DelayedJobs delayedJobs, double margin, double trialWeight, boolean countsIdleGpus) {
        this(order, delayedJobs, margin, trialWeight, countsIdleGpus, PreemptWays.CHECKPOINT_ONLY);
    }

    /** @param ways how victims leave */
    public CostBenefitPreemption(
            JobOrder order,
            DelayedJobs delayedJobs,
            double margin,
            double trialWeight,
            boolean countsIdleGpus,
            PreemptWays ways) {
        this.ways = ways;
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
        Predicate<JobView> outlasts = job -> outlastsPreemption(view, job);
        for (int type : waiting.job().typesByPreference()) {
            VictimSearch search = new VictimSearch(
                            view,
                            rankedJobs,
                            waiting,
                            type,
                            placement,
                            v -> !exempt.contains(v) && v.outlastsPreemption(rankedJobs.decisions(), outlasts))
                    .limitVictims(waiting.job().job().demand().minGpus() + EXTRA_VICTIMS);
            if (!search.mayHaveRoom()) {
                continue;
            }
            search.otherwiseMillis(
                    countsIdleGpus
                            ? placement.declinedLossMillis(view.draft().capacity(), waiting.job(), type)
                            : Plan.NEVER);
            CostBenefit declined = tryCheapestVictims(view, rankedJobs, waiting, search);
            if (search.isFound() || search.run(searches)) {
                CostBenefit costBenefit = costBenefit(view, rankedJobs, waiting, search);
                if (search.victims().isEmpty() || isWorthIt(costBenefit)) {
                    search.apply();
                    return new Feasible(action(waiting, search, costBenefit), search.victims());
                }
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
        if (weight <= 1) {
            return null;
        }
        double perGpu = delayedJobs.count(view, rankedJobs, waiting.job())
                / view.topology().gpuCount();
        CheapestVictims cheapest = new CheapestVictims(
                view, search.groups(), waiting, new CheapestVictims.Prices(weight, perGpu, this::victimWeight, ways));
        CostBenefit declined = null;
        int tried = 0;
        for (RankedJob next = cheapest.next(); next != null && tried < MAX_TRIED; next = cheapest.next()) {
            if (!search.isPreemptible(next) || !view.mayPreempt(next.job(), waiting.job())) {
                continue;
            }
            tried++;
            if (search.runWithSingleVictim(next)) {
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

    /** The same of a running job, which knows whether it is a trial. */
    private double victimWeight(RankedJob running) {
        return running.isTrial() || order.blocksOthers(running.rank()) ? trialWeight : 1;
    }

    private CostBenefit costBenefit(View view, RankedJobs rankedJobs, RankedJob waiting, VictimSearch search) {
        return CostBenefit.of(
                new CostBenefit.Terms(view, order, ways),
                waiting,
                search.place(),
                search.victims(),
                delayedJobs.count(view, rankedJobs, waiting.job()),
                this::weight,
                search.otherwiseMillis(),
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
        return CostBenefit.remainingRunMillis(view, order, victim) > ways.overheadMillis(view, victim);
    }
}
