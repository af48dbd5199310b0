package dev.fermata.core.policy;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.composed.ExpectedWait;
import dev.fermata.core.policy.composed.JointChoice;
import dev.fermata.core.policy.composed.RunningMoves;
import dev.fermata.core.policy.order.EstimatedWorkOrder;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.BreakEvenDelay;
import dev.fermata.core.policy.place.CoLocatingPlacement;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.place.ResumingPlacement;
import dev.fermata.core.policy.place.SharingAccount;
import dev.fermata.core.policy.preempt.CostBenefitPreemption;
import dev.fermata.core.policy.preempt.SuspendingPolicy;
import dev.fermata.core.policy.ranking.PreemptWays;
import dev.fermata.core.policy.ranking.RankedJobs;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** All five papers in one policy. */
final class FermataEntries {
    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "fermata",
            "shortest estimated job first, trials at once; pauses and shared GPUs only where they pay",
            "all five papers in one",
            List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.NEEDS_ESTIMATES, PolicyTrait.COST_AWARE, PolicyTrait.LEARNS),
            List.of(
                    Param.number("trial", 10, 1, 1000, "how many times the waiting of a trial job counts"),
                    Param.number(
                            "slowdown",
                            8,
                            1,
                            1e9,
                            "a job this many times as long would have ended, had all jobs shared the GPUs equally: it"
                                    + " is overdue"),
                    Param.number("overdue", 0.1, 0, 1, "share of the GPUs on which overdue jobs go before others"),
                    Param.number(
                            "probe",
                            0.5,
                            0,
                            1,
                            "share of the GPUs on which newcomers run first, until their progress shows their run"
                                    + " time"),
                    Param.integer("pair", 2, 1, 8, "jobs that may share one GPU"),
                    Param.number(
                            "pays",
                            0.2,
                            0,
                            10,
                            "least gain in work for which a GPU is shared, if completion times improve; 0: if any work"
                                    + " is gained"),
                    Param.integer(
                            "together",
                            10,
                            1,
                            64,
                            "jobs that start together and share out GPU types and sizes for the least sum; 1: in turn"),
                    Param.flag("move", true, "running jobs move to closer or faster GPUs where that pays"),
                    Param.flag("resize", true, "running jobs of elastic size get more or fewer GPUs where that pays"),
                    PolicyParts.suspend(true),
                    PolicyParts.guard()),
            FermataEntries::traits,
            FermataEntries::create));

    /** A job that can never be served keeps the queue from being empty; it must not count for all jobs that ever arrived. */
    private static final int MAX_ARRIVALS_PER_WAITING = 100;

    /** A gain must exceed its cost by this share: less is lost to preemptions that follow from one. */
    private static final double MARGIN = 0.25;

    private FermataEntries() {}

    private static Set<PolicyTrait> traits(PolicySettings settings) {
        Set<PolicyTrait> traits = EnumSet.of(PolicyTrait.DECLINES);
        if (settings.integer("pair") > 1) {
            traits.add(PolicyTrait.SHARES);
        }
        if (settings.number("trial") > 1) {
            traits.add(PolicyTrait.HURRIES);
        }
        return traits;
    }

    private static Policy create(PolicySettings settings) {
        PreemptWays ways = PreemptWays.of(settings.flag(PolicyParts.SUSPEND));
        double trial = settings.number("trial");
        double pays = settings.number("pays");
        JobOrder order = new EstimatedWorkOrder(
                trial > 1, settings.number("slowdown"), settings.number("overdue"), settings.number("probe"), ways);
        Placement alone = new BreakEvenDelay();
        SharingAccount account = pays > 0 ? new SharingAccount(order, new ExpectedWait(order), trial) : null;
        Placement placement = settings.integer("pair") == 1
                ? alone
                : new CoLocatingPlacement(alone, settings.integer("pair"), view -> pays, account);
        Policy policy = new ComposedPolicy(
                order,
                ResumingPlacement.of(placement, ways.suspends()),
                new CostBenefitPreemption(order, FermataEntries::delayedJobs, MARGIN, trial, true, ways),
                false,
                new JointChoice(settings.integer("together")),
                settings.flag("move") ? new RunningMoves(order) : null,
                settings.flag("resize"));
        return SuspendingPolicy.of(policy, ways.suspends(), (view, job) -> order.remainingMillis(job, view));
    }

    /**
     * How many jobs suffer from GPU-time lost to preemptions. They are the pending ones, and as many arrivals as there
     * have been since the queue was last empty. A trial does not wait for the latter.
     */
    private static double delayedJobs(View view, RankedJobs rankedJobs, JobView beneficiary) {
        double waiting = view.pendingJobs() - 1;
        double arrivals =
                Math.min((double) rankedJobs.startsSinceIdle(), MAX_ARRIVALS_PER_WAITING * (double) view.pendingJobs());
        return beneficiary.job().jobClass() == JobClass.TRIAL ? waiting : waiting + arrivals;
    }
}
