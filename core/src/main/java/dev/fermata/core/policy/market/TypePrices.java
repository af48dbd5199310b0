package dev.fermata.core.policy.market;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What each GPU type costs when everybody wants the fastest one, and which type a job should take at these prices: the one on
 * which it is comparatively best, by speed over price. A job that runs nearly as well on a slow GPU leaves the fast ones to
 * those who do not.
 *
 * <p>Clears a transportation problem between groups of jobs and types in which a GPU is worth the logarithm of the group's
 * speed on it. So two groups trade places exactly when the product of their speeds grows ({@code a1 b2 > a2 b1}), whatever
 * units the speeds are in. O(G·T·(G+T)) for G groups and T types; only the ratios of speeds inside a group matter.
 */
public final class TypePrices {
    /** Worse than any speed: a place in the queue. Only how many must wait is fixed by it. */
    private static final double WAITING = -100;

    private static final double TIE = 1e-9;

    private final double[] prices;

    private TypePrices(double[] prices) {
        this.prices = prices;
    }

    /** Jobs with the same speeds that want so many GPUs together; {@code speeds[t]} is 0 where they may not run. */
    public static final class Group {
        private final double[] speeds;
        private final int gpus;

        public Group(double[] speeds, int gpus) {
            this.speeds = speeds.clone();
            this.gpus = gpus;
        }
    }

    /** All types cost the same: everybody prefers his fastest. */
    public static TypePrices none(int types) {
        double[] same = new double[types];
        java.util.Arrays.fill(same, 1);
        return new TypePrices(same);
    }

    /** Prices at which these groups can be served by so many GPUs of each type. */
    public static TypePrices clear(int[] gpusOfType, List<Group> groups) {
        int types = gpusOfType.length;
        int[] sizes = groups.stream().mapToInt(g -> g.gpus).toArray();
        int[] capacity = new int[types + 1];
        System.arraycopy(gpusOfType, 0, capacity, 0, types);
        capacity[types] = IntStream.of(sizes).sum(); // the queue has room for all
        double[][] worth = new double[groups.size()][types + 1];
        for (int g = 0; g < worth.length; g++) {
            double[] speeds = groups.get(g).speeds;
            double best = 0;
            for (int t = 0; t < types; t++) {
                best = Math.max(best, speeds[t]);
            }
            for (int t = 0; t < types; t++) {
                worth[g][t] = speeds[t] > 0 ? StrictMath.log(speeds[t] / best) : Clearing.FORBIDDEN;
            }
            worth[g][types] = WAITING;
        }
        Clearing market = Clearing.Way.JV.create();
        market.clear(worth, sizes, capacity, new int[groups.size()][types + 1]);
        double cheapest = Double.POSITIVE_INFINITY;
        for (int t = 0; t < types; t++) {
            cheapest = gpusOfType[t] > 0 ? Math.min(cheapest, market.price(t)) : cheapest;
        }
        double[] prices = new double[types];
        for (int t = 0; t < types; t++) {
            // where all types are sold out only their ratios mean something
            prices[t] = gpusOfType[t] > 0 ? StrictMath.exp(market.price(t) - cheapest) : 1;
        }
        return new TypePrices(prices);
    }

    /** How many times the cheapest type's price; 1 for the cheapest. */
    public double price(int type) {
        return prices[type];
    }

    /** The types a job may run on ({@code speeds[t] > 0}), best speed for its price first; ties to the slower, then to the first. */
    public int[] preference(double[] speeds) {
        return IntStream.range(0, prices.length)
                .filter(t -> speeds[t] > 0)
                .boxed()
                .sorted((a, b) -> {
                    double ratio = speeds[a] / prices[a] / (speeds[b] / prices[b]);
                    if (Math.abs(ratio - 1) > TIE) {
                        return ratio > 1 ? -1 : 1;
                    }
                    int bySpeed = Double.compare(speeds[a], speeds[b]);
                    return bySpeed != 0 ? bySpeed : Integer.compare(a, b);
                })
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
