package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.order.ShortestOrder;
import dev.fermata.core.policy.preempt.Worthwhile;
import java.util.List;

/** Xion. */
final class XionEntries {
    static final List<PolicyInfo> ALL = List.of(Parts.composed(
            "xion",
            "shortest remaining time first, but nobody is paused unless that gains more than pause and load cost",
            "Go et al., IEEE CLOUD 2023",
            List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES, Trait.WEIGHS),
            "best-fit",
            List.of(
                    Param.flag("service", false, "rank by remaining time x GPUs instead of remaining time"),
                    Param.number(
                            "crowd",
                            1,
                            0,
                            1000,
                            "share of the waiting jobs taken to suffer from GPU-time lost to pauses"),
                    Param.number("margin", 0, 0, 100, "the gain must exceed the cost by this share of it")),
            XionEntries::create));

    private XionEntries() {}

    private static Policy create(Settings settings) {
        double crowd = settings.number("crowd");
        Order order = new ShortestOrder(settings.flag("service"));
        return new Composed(
                order,
                Parts.placement(settings),
                new Worthwhile(order, (view, book) -> crowd * (view.pendingJobs() - 1), settings.number("margin"), 1),
                false);
    }
}
