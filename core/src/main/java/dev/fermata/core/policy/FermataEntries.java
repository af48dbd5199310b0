package dev.fermata.core.policy;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.ForesightOrder;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.place.BreakEven;
import dev.fermata.core.policy.place.Pairing;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.Worthwhile;
import dev.fermata.core.policy.queue.Book;
import java.util.List;

/** All five papers in one policy. */
final class FermataEntries {
    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "fermata",
            "shortest first as far as that can be known, trials at once, pauses only where they pay, together where it pays",
            "all five papers in one",
            List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES, Trait.WEIGHS, Trait.LEARNS),
            List.of(
                    Param.number("trial", 10, 1, 1000, "how many times the waiting of a trial job counts"),
                    Param.number(
                            "slowdown",
                            4,
                            1,
                            1e9,
                            "waiting this many times its run time (times the root of its GPUs) puts a job before others"),
                    Param.integer("pair", 2, 1, 8, "jobs that may share one GPU"),
                    Param.number(
                            "pays",
                            0.8,
                            0,
                            10,
                            "least gain in work for which a GPU is shared, falling as more jobs wait for each GPU"),
                    Parts.guard()),
            FermataEntries::create));

    /** One job that can never be served keeps the queue from being empty; it must not count for all who ever came. */
    private static final int MOST_TO_COME = 100;

    private FermataEntries() {}

    private static Policy create(Settings settings) {
        double trial = settings.number("trial");
        double pays = settings.number("pays");
        Order order = new ForesightOrder(trial > 1, settings.number("slowdown"));
        Placement alone = new BreakEven();
        Placement placement = settings.integer("pair") == 1
                ? alone
                : new Pairing(alone, settings.integer("pair"), view -> leastGain(view, pays));
        return new Composed(order, placement, new Worthwhile(order, FermataEntries::behind, 0, trial), false);
    }

    /** The more jobs wait for each GPU, the smaller the gain for which sharing is worth it. */
    private static double leastGain(View view, double idle) {
        return idle / (1 + (double) view.pendingJobs() / view.topology().gpuCount());
    }

    /**
     * Who suffers from GPU-time lost to pauses: those who wait, and those who will come before the queue is empty again, of
     * whom there have been as many since it last was. A trial is not made to wait for those.
     */
    private static double behind(View view, Book book, JobView newcomer) {
        double waiting = view.pendingJobs() - 1;
        double coming = Math.min((double) book.servedInARow(), MOST_TO_COME * (double) view.pendingJobs());
        return newcomer.job().jobClass() == JobClass.TRIAL ? waiting : waiting + coming;
    }
}
