package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.order.ShortestOrder;
import dev.fermata.core.policy.place.ResumingPlacement;
import dev.fermata.core.policy.preempt.CostBenefitPreemption;
import dev.fermata.core.policy.preempt.SuspendingPolicy;
import dev.fermata.core.policy.ranking.PreemptWays;
import java.util.List;

/** Xion. */
final class XionEntries {
    static final List<PolicyInfo> ALL = List.of(PolicyParts.composed(
            "xion",
            "shortest remaining time first, but no job is paused unless that gains more than pause and load cost",
            "Go et al., IEEE CLOUD 2023",
            List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.NEEDS_ESTIMATES, PolicyTrait.COST_AWARE),
            "best-fit",
            List.of(
                    Param.flag("service", false, "rank by remaining time x GPUs instead of remaining time"),
                    Param.number(
                            "crowd",
                            1,
                            0,
                            1000,
                            "share of the waiting jobs taken to suffer from GPU-time lost to pauses"),
                    Param.number("margin", 0, 0, 100, "the gain must exceed the cost by this share of it"),
                    PolicyParts.suspend(false)),
            XionEntries::create));

    private XionEntries() {}

    private static Policy create(PolicySettings settings) {
        double crowd = settings.number("crowd");
        JobOrder order = new ShortestOrder(settings.flag("service"));
        boolean suspends = settings.flag(PolicyParts.SUSPEND);
        Policy policy = new ComposedPolicy(
                order,
                ResumingPlacement.of(PolicyParts.placement(settings), suspends),
                new CostBenefitPreemption(
                        order,
                        (view, rankedJobs, beneficiary) -> crowd * (view.pendingJobs() - 1),
                        settings.number("margin"),
                        1,
                        false,
                        PreemptWays.of(suspends)),
                false);
        return SuspendingPolicy.of(policy, suspends);
    }
}
