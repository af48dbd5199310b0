package dev.fermata.core.policy.market;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The division of least mean completion time, by dynamic programming over the counts of workers in use. One stage for
 * each job; a state is a count for each type, and its value the least sum of completion times so far.
 *
 * <p>Workers of one type are exchangeable, so this is a knapsack with one choice for each job. A known division bounds
 * it: prices of workers (Lagrange multipliers, by subgradient steps) give a lower bound for every placement and every
 * state, and whatever cannot beat the known division is dropped. That never drops an optimum (reduced-cost fixing).
 *
 * <p>O(S · states · placements) at worst; no clock, no chance. Fairness is not separable by jobs and not weighed here.
 */
public final class ExactMarket {
    private static final int PRICE_STEPS = 40;
    /** Below so many pairs of state and placement, prices cost more than they save. */
    private static final long PRICES_PAY = 20_000;

    private static final double TOLERANCE = 1e-9;

    private final Market market;
    private final CountCode packing;
    private final int jobs;
    private final int limit;
    private final boolean useAll;
    private final List<JobOptions> options = new ArrayList<>();
    private final double[] prices;
    private final double[] least;
    private double bar = Double.POSITIVE_INFINITY;

    private ExactMarket(Market market, boolean idle, int limit) {
        this.market = market;
        this.limit = limit;
        jobs = market.jobs();
        packing = new CountCode(market);
        prices = new double[market.types()];
        least = new double[jobs];
        long usable = 0;
        for (int i = 0; i < jobs; i++) {
            usable += market.maxWorkers(i);
        }
        useAll = !idle && usable >= market.workers();
    }

    /** The best division, or null when there is none or it takes more than {@code limit} placements or states to find. */
    public static @Nullable Division place(Market market, boolean idle, int limit) {
        return solve(market, null, idle, limit);
    }

    /** The best division given a good one, which is the answer itself where it cannot be improved; null as above. */
    public static @Nullable Division improve(Market market, Division start, boolean idle, int limit) {
        return solve(market, start, idle, limit);
    }

    private static @Nullable Division solve(Market market, @Nullable Division start, boolean idle, int limit) {
        ExactMarket exact = new ExactMarket(market, idle, limit);
        if (!exact.packing.isUsable() || !exact.tabulate(idle)) {
            return null;
        }
        if (start != null) {
            exact.bar = start.meanSeconds() * exact.jobs * (1 + TOLERANCE);
        }
        if (exact.pairs() > PRICES_PAY && start != null) {
            exact.findPrices(start);
        }
        Division found = exact.search();
        boolean better =
                found != null && (start == null || found.meanSeconds() < start.meanSeconds() * (1 - TOLERANCE));
        return found == null || better ? found : start;
    }

    private boolean tabulate(boolean idle) {
        int needed = 0;
        for (int i = 0; i < jobs; i++) {
            needed += market.minWorkers(i);
        }
        int left = limit;
        for (int i = 0; i < jobs; i++) {
            int most = Math.min(market.maxWorkers(i), market.workers() - needed + market.minWorkers(i));
            int min = idle || useAll ? market.minWorkers(i) : most;
            JobOptions table = JobOptions.of(market, packing, i, min, most, left);
            left -= table.size();
            if (left < 0) {
                return false;
            }
            options.add(table);
        }
        return true;
    }

    private long pairs() {
        long states = 1;
        for (int t = 0; t < market.types(); t++) {
            states = Math.min(Integer.MAX_VALUE, states * (market.workers(t) + 1));
        }
        long sum = 0;
        for (JobOptions table : options) {
            sum += states * table.size();
        }
        return sum;
    }

    /** Raises the lower bound by subgradient steps and drops what it rules out; keeps the best prices. */
    private void findPrices(Division start) {
        double[] now = firstPrices(start);
        double[] direction = new double[now.length];
        double best = Double.NEGATIVE_INFINITY;
        double relax = 1;
        for (int step = 0; step < PRICE_STEPS; step++) {
            double bound = bound(now, direction);
            if (bound > best) {
                best = bound;
                System.arraycopy(now, 0, prices, 0, now.length);
                for (JobOptions table : options) {
                    table.retainBelow(bar - bound + table.minReduced(packing, now), packing, now);
                }
            } else {
                relax *= 0.7;
            }
            double norm = 0;
            for (double d : direction) {
                norm += d * d;
            }
            double length = norm == 0 ? 0 : relax * (bar - bound) / norm;
            if (length <= 0) {
                break;
            }
            for (int t = 0; t < now.length; t++) {
                double next = now[t] + length * direction[t];
                now[t] = useAll ? next : Math.max(0, next);
            }
        }
    }

    /** What one worker more or less would change, by type: where the good division has it. */
    private double[] firstPrices(Division start) {
        double[] first = new double[market.types()];
        int[][] counts = start.counts();
        for (int t = 0; t < first.length; t++) {
            double least = Double.POSITIVE_INFINITY;
            for (int i = 0; i < jobs; i++) {
                if (counts[i][t] > 0 && start.size(i) > market.minWorkers(i)) {
                    counts[i][t]--;
                    least = Math.min(least, market.seconds(i, counts[i]) - start.seconds(i));
                    counts[i][t]++;
                }
            }
            first[t] = least == Double.POSITIVE_INFINITY ? 0 : Math.max(0, least);
        }
        return first;
    }

    /** The lower bound at these prices, and in which direction each price should go: workers wanted less those there are. */
    private double bound(double[] at, double[] direction) {
        double sum = 0;
        for (int t = 0; t < at.length; t++) {
            direction[t] = -market.workers(t);
            sum -= at[t] * market.workers(t);
        }
        for (JobOptions table : options) {
            int best = -1;
            double min = Double.POSITIVE_INFINITY;
            for (int k = 0; k < table.size(); k++) {
                double cost = table.seconds(k) + packing.cost(table.code(k), at);
                if (cost < min) {
                    min = cost;
                    best = k;
                }
            }
            if (best < 0) {
                return Double.POSITIVE_INFINITY;
            }
            sum += min;
            for (int t = 0; t < at.length; t++) {
                direction[t] += packing.count(table.code(best), t);
            }
        }
        for (int t = 0; t < at.length && !useAll; t++) {
            direction[t] = at[t] == 0 ? Math.max(0, direction[t]) : direction[t];
        }
        return sum;
    }

    private @Nullable Division search() {
        double rest = 0 - packing.cost(packing.capacity(), prices);
        for (int i = 0; i < jobs; i++) {
            least[i] = options.get(i).minReduced(packing, prices);
            rest += least[i];
        }
        List<CountStates> stages = new ArrayList<>();
        CountStates states = new CountStates(1);
        states.offer(0, 0, -1, -1);
        int visited = 0;
        for (int i = 0; i < jobs; i++) {
            rest -= least[i];
            CountStates next = expand(states, options.get(i), bar - rest, limit - visited);
            if (next == null || next.size() == 0) {
                return null;
            }
            visited += next.size();
            stages.add(next);
            states = next;
        }
        int best = -1;
        double min = Double.POSITIVE_INFINITY;
        for (int k = 0; k < states.size(); k++) {
            double value = states.value(k) - packing.cost(states.code(k), prices);
            if ((!useAll || states.code(k) == packing.capacity()) && value < min) {
                min = value;
                best = k;
            }
        }
        return best < 0 ? null : division(stages, best);
    }

    /** One job more: every state with every placement that fits and may still beat the bar; null beyond the limit. */
    private @Nullable CountStates expand(CountStates states, JobOptions table, double most, int allowed) {
        double[] cost = new double[table.size()];
        for (int k = 0; k < cost.length; k++) {
            cost[k] = table.seconds(k) + packing.cost(table.code(k), prices);
        }
        CountStates next = new CountStates(states.size());
        for (int s = 0; s < states.size(); s++) {
            long used = states.code(s);
            double value = states.value(s);
            for (int k = 0; k < cost.length; k++) {
                double sum = value + cost[k];
                if (sum <= most && packing.fit(used, table.code(k))) {
                    next.offer(used + table.code(k), sum, s, k);
                }
            }
            if (next.size() > allowed) {
                return null;
            }
        }
        return next;
    }

    private Division division(List<CountStates> stages, int last) {
        int[][] counts = new int[jobs][market.types()];
        double[] seconds = new double[jobs];
        double sum = 0;
        int at = last;
        for (int i = jobs - 1; i >= 0; i--) {
            CountStates stage = stages.get(i);
            int option = stage.option(at);
            for (int t = 0; t < market.types(); t++) {
                counts[i][t] = packing.count(options.get(i).code(option), t);
            }
            seconds[i] = options.get(i).seconds(option);
            sum += seconds[i];
            at = stage.from(at);
        }
        return new Division(counts, seconds, sum / jobs);
    }
}
