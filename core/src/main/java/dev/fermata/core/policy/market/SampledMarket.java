package dev.fermata.core.policy.market;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JPS: divides workers among jobs so that the mean completion time is small. Looks at a few categories (how many workers each
 * job gets) instead of all, clears a market for the workers in each, and trades from the best on.
 *
 * <p>After Liu et al., "Sampling-Based Multi-Job Placement for Heterogeneous Deep Learning Clusters", IEEE TPDS 35(6), 2024:
 * proportional work, categories, a matching market inside each, sampling. Added here: what a worker is worth ({@code c rho / R²},
 * the slope of the completion time, refreshed as R becomes known), the centre of the sampling, and the trades at the end.
 *
 * <p>O(N · S · T · (S + T)) for N samples, plus the trades ({@link LocalSearch}); no clock, no chance: the samples are a function
 * of the number of jobs and workers.
 */
public final class SampledMarket {
    /**
     * How to look.
     *
     * @param samples categories to look at
     * @param alpha share of samples near the centre; the others are uniform
     * @param beta weight of fairness, see {@link DivisionObjective}
     * @param idle whether workers may be left over although a job could take them
     * @param method how a market is cleared
     * @param refreshes how often worth is recomputed from the rates the last clearing gave; 0 for plain throughput as
     *     worth
     * @param centred whether to sample around the greedy centre at all
     * @param trades how many of the best categories are improved by trades
     */
    public record SamplingOptions(
            int samples,
            double alpha,
            double beta,
            boolean idle,
            Clearing.ClearingMethod method,
            int refreshes,
            boolean centred,
            int trades) {
        public static final SamplingOptions DEFAULT =
                new SamplingOptions(10, 0.5, 0, true, Clearing.ClearingMethod.JV, 2, true, 3);

        public SamplingOptions {
            if (samples < 1 || !(alpha >= 0 && alpha <= 1) || !(beta >= 0 && beta <= 1)) {
                throw new IllegalArgumentException("samples (" + samples + ") must be positive, alpha (" + alpha
                        + ") and beta (" + beta + ") from 0 to 1");
            }
        }

        public SamplingOptions withSamples(int value) {
            return new SamplingOptions(value, alpha, beta, idle, method, refreshes, centred, trades);
        }

        public SamplingOptions withBeta(double value) {
            return new SamplingOptions(samples, alpha, value, idle, method, refreshes, centred, trades);
        }

        public SamplingOptions withIdle(boolean value) {
            return new SamplingOptions(samples, alpha, beta, value, method, refreshes, centred, trades);
        }

        public SamplingOptions withMethod(Clearing.ClearingMethod value) {
            return new SamplingOptions(samples, alpha, beta, idle, value, refreshes, centred, trades);
        }

        public SamplingOptions withTrades(int value) {
            return new SamplingOptions(samples, alpha, beta, idle, method, refreshes, centred, value);
        }
    }

    /** A category this much worse than the best few after its first clearing is not refreshed. */
    private static final double PRUNE_FACTOR = 1.15;

    private final Market market;
    private final SamplingOptions options;
    private final DivisionObjective objective;
    private final Clearing clearing;
    private final int jobs;
    private final int types;
    private final int[] capacity;
    private final double[][] worth;
    private final double[][] rates;
    private final double[] meanRates;
    private final double[] work;
    private final double[] rate;
    private final double[] seconds;
    private final int[][] division;

    private SampledMarket(Market market, SamplingOptions options) {
        this.market = market;
        this.options = options;
        objective = new DivisionObjective(market, options.beta);
        clearing = options.method.create();
        jobs = market.jobs();
        types = market.types();
        capacity = new int[types];
        for (int t = 0; t < types; t++) {
            capacity[t] = market.workers(t);
        }
        worth = new double[jobs][types];
        rates = new double[jobs][types];
        meanRates = new double[jobs];
        work = new double[jobs];
        for (int i = 0; i < jobs; i++) {
            for (int t = 0; t < types; t++) {
                rates[i][t] = market.rate(i, t);
            }
            meanRates[i] = market.meanRate(i);
            work[i] = market.work(i);
        }
        rate = new double[jobs];
        seconds = new double[jobs];
        division = new int[jobs][types];
    }

    /** The best division found, or null when the jobs cannot all have their least number of workers. */
    public static @Nullable Division place(Market market, SamplingOptions options) {
        SampledMarket search = new SampledMarket(market, options);
        DeterministicRandom random = new DeterministicRandom(31L * market.jobs() + market.workers());
        Categories categories = new Categories(market, options.idle);
        Division best = search.best(categories.sample(options.samples, options.alpha, options.centred, random));
        // where jobs may not run on every type, the sampled sizes may be impossible for all of them
        return best != null ? best : search.best(List.of(categories.minSizes()));
    }

    /** The best division of one category, before any trades; null when its market cannot be cleared. */
    public static @Nullable Division inCategory(Market market, int[] sizes, SamplingOptions options) {
        return new SampledMarket(market, options).clear(sizes, Double.POSITIVE_INFINITY);
    }

    /** Every job gets the same number of workers; the market decides which. */
    public static @Nullable Division equalSplit(Market market, SamplingOptions options) {
        return inCategory(market, new Categories(market, options.idle).equalSizes(), options);
    }

    /** The centre of the sampling alone. */
    public static @Nullable Division greedy(Market market, SamplingOptions options) {
        return inCategory(market, new Categories(market, options.idle).greedy(), options);
    }

    private @Nullable Division best(List<int[]> samples) {
        List<Division> front = new ArrayList<>(); // the best few, best first
        int keep = Math.max(1, options.trades);
        for (int[] sizes : samples) {
            double worst = front.size() < keep
                    ? Double.POSITIVE_INFINITY
                    : front.get(keep - 1).score();
            Division found = clear(sizes, worst);
            if (found != null) {
                int at = front.size();
                while (at > 0 && found.score() < front.get(at - 1).score()) {
                    at--;
                }
                front.add(at, found);
                if (front.size() > keep) {
                    front.remove(keep);
                }
            }
        }
        Division best = front.isEmpty() ? null : front.get(0);
        for (int i = 0; i < Math.min(options.trades, front.size()); i++) {
            Division traded = new LocalSearch(market, objective, options.idle, front.get(i)).run();
            best = best == null || traded.score() < best.score() ? traded : best;
        }
        return best;
    }

    /** The best division of a category that beats {@code bar}, or null when there is none or it is not worth a closer look. */
    private @Nullable Division clear(int[] sizes, double bar) {
        for (int i = 0; i < jobs; i++) {
            rate[i] = sizes[i] * meanRates[i];
        }
        Division best = null;
        double limit = bar;
        for (int round = 0; round <= options.refreshes; round++) {
            computeWorth();
            if (!clearing.clear(worth, sizes, capacity, division)) {
                return best;
            }
            boolean moved = refresh();
            double score = objective.score(seconds);
            if (score < limit) {
                best = new Division(copy(division), seconds.clone(), score);
                limit = score;
            }
            if (!moved || score > limit * PRUNE_FACTOR) {
                break;
            }
        }
        return best;
    }

    /** Rates and times of the jobs under the division as it stands; returns whether any rate is another than before. */
    private boolean refresh() {
        boolean moved = false;
        for (int i = 0; i < jobs; i++) {
            double now = 0;
            for (int t = 0; t < types; t++) {
                now += division[i][t] * rates[i][t];
            }
            moved |= now != rate[i];
            rate[i] = now;
            seconds[i] = market.seconds(i, division[i]);
        }
        return moved;
    }

    /** What a worker is worth to a job: by how much it shortens it at the rate it has; or plain throughput. */
    private void computeWorth() {
        for (int i = 0; i < jobs; i++) {
            double slope = options.refreshes == 0 ? 1 : work[i] / (rate[i] * rate[i]);
            for (int t = 0; t < types; t++) {
                worth[i][t] = rates[i][t] > 0 ? slope * rates[i][t] : Clearing.FORBIDDEN;
            }
        }
    }

    private static int[][] copy(int[][] rows) {
        int[][] copy = new int[rows.length][];
        for (int i = 0; i < rows.length; i++) {
            copy[i] = rows[i].clone();
        }
        return copy;
    }
}
