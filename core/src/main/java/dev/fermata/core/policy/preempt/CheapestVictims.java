package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.PreemptWays;
import dev.fermata.core.policy.ranking.Rank;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.VictimGroups;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the running jobs that hold enough GPUs and rank after a waiting one, the cheapest first, then the smallest,
 * then by id. It asks once for each group what its jobs cost; only jobs that would lose work, or that may be suspended,
 * have a price of their own.
 * Valid while no job comes or goes.
 */
final class CheapestVictims {
    /**
     * What a preemption costs.
     *
     * @param waiting how many times the waiting of the newcomer counts
     * @param delayedPerGpu how many others a lost millisecond of one GPU delays
     * @param victim how many times the waiting of a victim counts
     * @param ways how victims leave
     */
    record Prices(double waiting, double delayedPerGpu, ToDoubleFunction<RankedJob> victim, PreemptWays ways) {
        private double priceOf(RankedJob like, double vacateMillis, double lostMillis) {
            return waiting * vacateMillis + lostMillis * (victim.applyAsDouble(like) + delayedPerGpu * like.weight());
        }
    }

    /** A place among jobs of one price. */
    private static final class Cursor {
        final List<RankedJob> jobs;
        final double price;
        int at;

        Cursor(List<RankedJob> jobs, double price) {
            this.jobs = jobs;
            this.price = price;
        }

        RankedJob current() {
            return jobs.get(at);
        }

        static int compare(Cursor a, Cursor b) {
            int byPrice = Double.compare(a.price, b.price);
            if (byPrice != 0) {
                return byPrice;
            }
            int byGpus = Integer.compare(a.current().weight(), b.current().weight());
            return byGpus != 0
                    ? byGpus
                    : Long.compare(a.current().job().id(), b.current().job().id());
        }
    }

    private final Rank rank;
    private final long nowMillis;
    private final PriorityQueue<Cursor> cursors = new PriorityQueue<>(Cursor::compare);

    CheapestVictims(View view, VictimGroups groups, RankedJob waiting, Prices prices) {
        this.rank = waiting.rank();
        this.nowMillis = view.nowMillis();
        int need = waiting.job().job().demand().minGpus();
        for (VictimGroups.Group group : groups.all()) {
            RankedJob like = group.example();
            if (like.weight() < need || like.rank().level() < rank.level()) {
                continue;
            }
            if (like.savesWork() && !(prices.ways.suspends() && like.maySuspend())) {
                addFrom(new Cursor(group.jobs(), prices.priceOf(like, (double) like.vacateMillis(), (double)
                        like.leaveAndReturnMillis())));
                continue;
            }
            for (RankedJob candidate : group.jobs()) {
                double vacate = prices.ways.vacateMillis(view, candidate.job());
                double lost = prices.ways.overheadMillis(view, candidate.job());
                addFrom(new Cursor(List.of(candidate), prices.priceOf(candidate, vacate, lost)));
            }
        }
    }

    /** The next cheapest, or null. */
    @Nullable
    RankedJob next() {
        Cursor cheapest = cursors.poll();
        if (cheapest == null) {
            return null;
        }
        RankedJob found = cheapest.current();
        cheapest.at++;
        addFrom(cheapest);
        return found;
    }

    /** Adds the cursor at its next job that ranks after the waiting one, if there is one. */
    private void addFrom(Cursor cursor) {
        while (cursor.at < cursor.jobs.size()) {
            if (rank.isBefore(cursor.current().rank(), nowMillis)) {
                cursors.add(cursor);
                return;
            }
            cursor.at++;
        }
    }
}
