package dev.fermata.core.policy.market;

import java.util.Arrays;

/**
 * Clears a market by an ascending auction with epsilon scaling. Every requested worker is a bidder, every worker has a
 * price. A bidder offers for its best worker what makes it indifferent to the second best, and a little more
 * (Bertsekas, "The auction algorithm", Annals of Operations Research 14, 1988). Surplus workers go to bidders for which
 * all are worth nothing.
 *
 * <p>Worth is rounded to one part in a million of the greatest; on these whole numbers the result is exact. Each bid costs
 * O(K); how many are needed depends on how contested the workers are.
 */
final class Auction implements Clearing {
    private static final long LEVELS = 1_000_000;
    private static final long SCALING = 5;
    /** Below any honest worth, far from overflow: a worker the bidder may not have. */
    private static final double NEVER = -1e9;

    private double[] lowest = {};

    @Override
    public boolean clear(double[][] worth, int[] sizes, int[] capacity, int[][] division) {
        int workers = Arrays.stream(capacity).sum();
        int wanted = Arrays.stream(sizes).sum();
        for (int[] row : division) {
            Arrays.fill(row, 0);
        }
        lowest = new double[capacity.length];
        if (wanted > workers) {
            return false;
        }
        AuctionRound round = new AuctionRound(worth, sizes, capacity, workers);
        round.run();
        boolean allowed = true;
        for (int k = 0; k < workers; k++) {
            int job = round.jobOf[round.owner[k]];
            if (job < sizes.length) {
                division[job][round.typeOf[k]]++;
                allowed &= worth[job][round.typeOf[k]] != FORBIDDEN;
            }
        }
        round.prices(lowest);
        return allowed;
    }

    @Override
    public double price(int type) {
        return lowest[type];
    }

    /** One auction: workers and bidders by number, worth in whole numbers times (workers + 1). */
    private static final class AuctionRound {
        final int[] jobOf;
        final int[] typeOf;
        final int[] owner;
        private final long[][] value;
        private final long[] price;
        private final long one;
        private final double unit;

        AuctionRound(double[][] worth, int[] sizes, int[] capacity, int workers) {
            jobOf = new int[workers];
            typeOf = new int[workers];
            owner = new int[workers];
            price = new long[workers];
            one = workers + 1L;
            int n = 0;
            for (int t = 0; t < capacity.length; t++) {
                Arrays.fill(typeOf, n, n + capacity[t], t);
                n += capacity[t];
            }
            Arrays.fill(jobOf, sizes.length); // the bidders for surplus workers
            n = 0;
            for (int i = 0; i < sizes.length; i++) {
                Arrays.fill(jobOf, n, n + sizes[i], i);
                n += sizes[i];
            }
            double max = 0;
            for (int i = 0; i < sizes.length; i++) {
                for (int t = 0; t < capacity.length; t++) {
                    max = worth[i][t] == FORBIDDEN ? max : Math.max(max, Math.abs(worth[i][t]));
                }
            }
            unit = max == 0 ? 1 : max / (double) LEVELS;
            value = new long[sizes.length + 1][capacity.length];
            for (int i = 0; i < sizes.length; i++) {
                for (int t = 0; t < capacity.length; t++) {
                    double scaled = worth[i][t] == FORBIDDEN ? NEVER : worth[i][t] / unit;
                    value[i][t] = Math.round(scaled) * one;
                }
            }
        }

        void run() {
            long epsilon = Math.max(1, LEVELS * one / SCALING);
            while (true) {
                Arrays.fill(owner, -1);
                int[] open = new int[jobOf.length];
                for (int b = 0; b < open.length; b++) {
                    open[b] = b;
                }
                for (int n = open.length; n > 0; ) {
                    int evicted = bid(open[n - 1], epsilon);
                    if (evicted >= 0) {
                        open[n - 1] = evicted;
                    } else {
                        n--;
                    }
                }
                if (epsilon == 1) {
                    return; // within 1/(workers + 1) of a whole number of the best: the best
                }
                epsilon = Math.max(1, epsilon / SCALING);
            }
        }

        /** The bidder takes its best worker; returns the bidder that had it, or -1. */
        private int bid(int bidder, long epsilon) {
            long[] mine = value[jobOf[bidder]];
            int best = -1;
            long first = Long.MIN_VALUE;
            long second = Long.MIN_VALUE;
            for (int k = 0; k < price.length; k++) {
                long profit = mine[typeOf[k]] - price[k];
                if (profit > first) {
                    second = first;
                    first = profit;
                    best = k;
                } else if (profit > second) {
                    second = profit;
                }
            }
            price[best] += (second == Long.MIN_VALUE ? 0 : first - second) + epsilon;
            int before = owner[best];
            owner[best] = bidder;
            return before;
        }

        /** The lowest price of each type, the cheapest worker of all being free. */
        void prices(double[] out) {
            long floor = Arrays.stream(price).min().orElse(0);
            Arrays.fill(out, Double.POSITIVE_INFINITY);
            for (int k = 0; k < price.length; k++) {
                out[typeOf[k]] = Math.min(out[typeOf[k]], (price[k] - floor) / (double) one * unit);
            }
        }
    }
}
