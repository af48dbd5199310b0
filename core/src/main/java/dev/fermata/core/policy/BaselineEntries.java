package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.ArrivalOrder;
import dev.fermata.core.policy.order.FairOrder;
import dev.fermata.core.policy.order.GittinsOrder;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.order.LeastAttainedOrder;
import dev.fermata.core.policy.order.ShortestOrder;
import dev.fermata.core.policy.place.ResumingPlacement;
import dev.fermata.core.policy.preempt.SuspendingPolicy;
import dev.fermata.core.policy.whole.EasyBackfill;
import dev.fermata.core.policy.whole.Gandiva;
import dev.fermata.core.policy.whole.LeasePolicy;
import java.util.List;
import java.util.Set;

/** What every new policy is compared with. */
final class BaselineEntries {
    static final List<PolicyInfo> ALL = List.of(
            PolicyParts.composed(
                    "fifo",
                    "first come, first served; a job that does not fit blocks those behind it",
                    "folklore",
                    List.of(),
                    "best-fit",
                    List.of(),
                    s -> Set.of(PolicyTrait.RESERVES),
                    s -> new ComposedPolicy(new ArrivalOrder(false), PolicyParts.placement(s), null, true)),
            PolicyParts.composed(
                    "fifo-backfill",
                    "first come, first served with EASY backfilling around one reservation",
                    "Lifka, JSSPP 1995",
                    List.of(PolicyTrait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(),
                    s -> Set.of(PolicyTrait.RESERVES),
                    s -> new EasyBackfill(PolicyParts.placement(s))),
            PolicyParts.composed(
                    "sjf",
                    "shortest job first among those that fit; no job is paused",
                    "folklore",
                    List.of(PolicyTrait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(Param.flag("block", false, "a job that does not fit blocks those behind it")),
                    s -> s.flag("block") ? Set.of(PolicyTrait.RESERVES) : Set.of(),
                    s -> new ComposedPolicy(new ShortestOrder(false), PolicyParts.placement(s), null, s.flag("block"))),
            PolicyParts.composed(
                    "srtf",
                    "shortest remaining time first; longer jobs are paused for it, whatever the pause costs",
                    "Schrage 1968; the baseline of Xion (IEEE CLOUD 2023)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(),
                    s -> PolicyParts.preemptive(new ShortestOrder(false), s)),
            PolicyParts.composed(
                    "srsf",
                    "shortest remaining service (time x GPUs) first, preemptive",
                    "Tiresias (NSDI 2019) calls it SRSF",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(),
                    s -> PolicyParts.preemptive(new ShortestOrder(true), s)),
            PolicyParts.composed(
                    "las",
                    "two-dimensional least attained service: jobs sink through queues as their GPU-time grows",
                    "Tiresias (NSDI 2019)",
                    List.of(PolicyTrait.PREEMPTIVE),
                    "best-fit",
                    List.of(
                            Param.integer("queues", 2, 1, 16, "number of queues"),
                            Param.seconds(
                                    "threshold", "3250", 1, 1e9, "GPU-seconds at which a job leaves the first queue"),
                            Param.number(
                                    "ratio", 10, 1.01, 1e6, "each further threshold is this many times the one before"),
                            Param.number(
                                    "starvation",
                                    0,
                                    0,
                                    1e6,
                                    "waiting this many times its run time returns a job to the first queue; 0 never"),
                            Param.seconds(
                                    "lease",
                                    "0",
                                    0,
                                    PolicyParts.YEAR_SECONDS,
                                    "above 0: no queues, but least GPU-time first at the end of every lease"),
                            PolicyParts.relocate(),
                            PolicyParts.suspend(false)),
                    BaselineEntries::attained),
            PolicyParts.composed(
                    "gittins",
                    "highest Gittins index first over attained GPU-time, learned from jobs that ended",
                    "Gittins 1979; 2D-Gittins in Tiresias (NSDI 2019)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.LEARNS),
                    "best-fit",
                    List.of(),
                    s -> PolicyParts.preemptive(new GittinsOrder(), s)),
            PolicyParts.composed(
                    "fair",
                    "finish-time fairness: the job most delayed against running alone goes first, leases in between",
                    "after Themis (NSDI 2020)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(PolicyParts.lease("20m")),
                    s -> PolicyParts.preemptive(new FairOrder(s.millis("lease")), s)),
            new PolicyInfo(
                    "gandiva",
                    "time-slicing, latest-started first, with affinity placement; spread jobs move when room appears",
                    "Gandiva (OSDI 2018) as compared with in Dally (2024)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.MIGRATES, PolicyTrait.CONSOLIDATES),
                    List.of(
                            PolicyParts.lease("1h"),
                            Param.flag("move", true, "spread jobs move closer when there is room"),
                            PolicyParts.suspend(false),
                            PolicyParts.guard()),
                    s -> Set.of(PolicyTrait.DECLINES),
                    s -> SuspendingPolicy.of(
                            new Gandiva(s.millis("lease"), s.flag("move"), s.flag(PolicyParts.SUSPEND)),
                            s.flag(PolicyParts.SUSPEND))),
            PolicyParts.composed(
                    "consolidate",
                    "never spreads a job that fits closer; time-slicing, most network-hurt first",
                    "the fully consolidated variant in Dally (2024)",
                    List.of(PolicyTrait.PREEMPTIVE, PolicyTrait.CONSOLIDATES),
                    "consolidate",
                    List.of(PolicyParts.lease("1h")),
                    s -> PolicyParts.preemptive(
                            new LeaseOrder(s.millis("lease"), LeaseOrder.Criterion.NETWORK_SENSITIVITY, true), s)));

    private BaselineEntries() {}

    private static Policy attained(PolicySettings settings) {
        long lease = settings.millis("lease");
        boolean suspends = settings.flag(PolicyParts.SUSPEND);
        return lease > 0
                ? SuspendingPolicy.of(
                        new LeasePolicy(
                                lease,
                                LeaseOrder.Criterion.SERVICE,
                                ResumingPlacement.of(PolicyParts.placement(settings), suspends),
                                settings.flag(PolicyParts.RELOCATE)),
                        suspends)
                : PolicyParts.preemptive(
                        new LeastAttainedOrder(thresholds(settings), settings.number("starvation")),
                        settings,
                        suspends);
    }

    private static long[] thresholds(PolicySettings settings) {
        long[] thresholds = new long[settings.integer("queues") - 1];
        double next = settings.millis("threshold");
        for (int i = 0; i < thresholds.length; i++) {
            thresholds[i] = Math.round(next);
            next *= settings.number("ratio");
        }
        return thresholds;
    }
}
