package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.ForesightOrder;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.place.BreakEven;
import dev.fermata.core.policy.place.Pairing;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.Worthwhile;
import java.util.List;

/** All five papers in one policy. */
final class FermataEntries {
    static final List<PolicyInfo> ALL = List.of(Parts.composed(
            "fermata",
            "all five papers together",
            "Fermata",
            List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES, Trait.WEIGHS, Trait.LEARNS),
            "best-fit",
            List.of(
                    Param.integer("pair", 2, 1, 8, "x"),
                    Param.number("pays", 0.1, 0, 10, "x"),
                    Param.number("trial", 10, 1, 1000, "how many times the waiting of a trial job counts")),
            FermataEntries::create));

    private FermataEntries() {}

    private static Policy create(Settings settings) {
        Placement placement = new Pairing(new BreakEven(), settings.integer("pair"), settings.number("pays"));
        Order order = new ForesightOrder(settings.number("trial") > 1);
        return new Composed(
                order,
                settings.integer("pair") == 1 ? new BreakEven() : placement,
                new Worthwhile(
                        order,
                        (view, book) -> view.pendingJobs() - 1 + (double) book.servedInARow(),
                        0,
                        settings.number("trial")),
                false);
    }
}
