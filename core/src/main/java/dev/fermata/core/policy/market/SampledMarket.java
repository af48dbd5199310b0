package dev.fermata.core.policy.market;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JPS: divides workers among jobs so that the mean completion time is small. Looks at a few categories (how many workers each
 * job gets) instead of all, clears a market for the workers in each, and trades from the best on.
 *
 * <p>After Liu et al., "Sampling-Based Multi-Job Placement for Heterogeneous Deep Learning Clusters", IEEE TPDS 35(6), 2024:
 * proportional work, categories, a matching market inside each, sampling. Ours: what a worker is worth ({@code c rho / R²},
 * the slope of the completion time, refreshed as R becomes known), the centre of the sampling, and the trades at the end.
 *
 * <p>O(N · S · T · (S + T)) for N samples, plus the trades ({@link Polish}); no clock, no chance: the samples are a function
 * of the number of jobs and workers.
 */
public final class SampledMarket {
    /**
     * How to look.
     *
     * @param samples categories to look at
     * @param alpha share of samples near the centre; the others are uniform
     * @param beta weight of fairness, see {@link Goal}
     * @param idle whether workers may be left over although a job could take them
     * @param way how a market is cleared
     * @param refreshes how often worth is computed anew from the rates the last clearing gave; 0 for plain throughput as
     *     worth
     * @param centred whether to sample around the greedy centre at all
     * @param trades how many of the best categories are improved by trades
     */
    public record Knobs(
            int samples,
            double alpha,
            double beta,
            boolean idle,
            Clearing.Way way,
            int refreshes,
            boolean centred,
            int trades) {
        public static final Knobs DEFAULT = new Knobs(10, 0.5, 0, true, Clearing.Way.JV, 2, true, 3);

        public Knobs {
            if (samples < 1 || !(alpha >= 0 && alpha <= 1) || !(beta >= 0 && beta <= 1)) {
                throw new IllegalArgumentException("samples (" + samples + ") must be positive, alpha (" + alpha
                        + ") and beta (" + beta + ") from 0 to 1");
            }
        }

        public Knobs withSamples(int value) {
            return new Knobs(value, alpha, beta, idle, way, refreshes, centred, trades);
        }

        public Knobs withBeta(double value) {
            return new Knobs(samples, alpha, value, idle, way, refreshes, centred, trades);
        }

        public Knobs withIdle(boolean value) {
            return new Knobs(samples, alpha, beta, value, way, refreshes, centred, trades);
        }

        public Knobs withWay(Clearing.Way value) {
            return new Knobs(samples, alpha, beta, idle, value, refreshes, centred, trades);
        }

        public Knobs withTrades(int value) {
            return new Knobs(samples, alpha, beta, idle, way, refreshes, centred, value);
        }
    }

    /** A category this much worse than the best few after its first clearing is not refreshed. */
    private static final double HOPELESS = 1.15;

    private final Market market;
    private final Knobs knobs;
    private final Goal goal;
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

    private SampledMarket(Market market, Knobs knobs) {
        this.market = market;
        this.knobs = knobs;
        goal = new Goal(market, knobs.beta);
        clearing = knobs.way.create();
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
    public static @Nullable Division place(Market market, Knobs knobs) {
        SampledMarket search = new SampledMarket(market, knobs);
        Draws draws = new Draws(31L * market.jobs() + market.workers());
        Categories categories = new Categories(market, knobs.idle);
        Division best = search.best(categories.sample(knobs.samples, knobs.alpha, knobs.centred, draws));
        // where jobs may not run on every type, the sampled sizes may be impossible for all of them
        return best != null ? best : search.best(List.of(categories.least()));
    }

    /** The best division of one category, before any trades; null when its market cannot be cleared. */
    public static @Nullable Division inCategory(Market market, int[] sizes, Knobs knobs) {
        return new SampledMarket(market, knobs).clear(sizes, Double.POSITIVE_INFINITY);
    }

    /** Every job gets the same number of workers, the market says which. */
    public static @Nullable Division equalSplit(Market market, Knobs knobs) {
        return inCategory(market, new Categories(market, knobs.idle).equal(), knobs);
    }

    /** The centre of the sampling alone. */
    public static @Nullable Division greedy(Market market, Knobs knobs) {
        return inCategory(market, new Categories(market, knobs.idle).greedy(), knobs);
    }

    private @Nullable Division best(List<int[]> samples) {
        List<Division> front = new ArrayList<>(); // the best few, best first
        int keep = Math.max(1, knobs.trades);
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
        for (int i = 0; i < Math.min(knobs.trades, front.size()); i++) {
            Division traded = new Polish(market, goal, knobs.idle, front.get(i)).run();
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
        for (int round = 0; round <= knobs.refreshes; round++) {
            appraise();
            if (!clearing.clear(worth, sizes, capacity, division)) {
                return best;
            }
            boolean moved = refresh();
            double score = goal.score(seconds);
            if (score < limit) {
                best = new Division(copy(division), seconds.clone(), score);
                limit = score;
            }
            if (!moved || score > limit * HOPELESS) {
                break;
            }
        }
        return best;
    }

    /** Rates and times of the jobs under the division as it stands; answers whether any rate is another than before. */
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
    private void appraise() {
        for (int i = 0; i < jobs; i++) {
            double slope = knobs.refreshes == 0 ? 1 : work[i] / (rate[i] * rate[i]);
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
