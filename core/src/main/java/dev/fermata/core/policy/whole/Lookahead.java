package dev.fermata.core.policy.whole;

import dev.fermata.core.policy.market.Division;
import dev.fermata.core.policy.market.Market;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the jobs of a market if only the first few start now as divided. The others follow one by one, each
 * on what suits it best among the GPUs that are free by then. An estimate for choosing how many to start together, not
 * a plan.
 *
 * <p>O(S · (S + T²)) for S jobs and T types.
 */
final class Lookahead {
    /** A job on its GPUs, and when it will end. */
    private static final class RunningEnd {
        final double at;
        final int[] counts;

        RunningEnd(double at, int[] counts) {
            this.at = at;
            this.counts = counts;
        }
    }

    private final Market market;
    private final int[] free;
    private final List<RunningEnd> running = new ArrayList<>();
    private double total;

    private Lookahead(Market market) {
        this.market = market;
        free = new int[market.types()];
        for (int t = 0; t < free.length; t++) {
            free[t] = market.workers(t);
        }
    }

    /** Sum of all completion times when the first {@code together} jobs start as divided. */
    static double totalSeconds(Market market, Division division, int together) {
        Lookahead ahead = new Lookahead(market);
        for (int i = 0; i < together; i++) {
            int[] counts = new int[ahead.free.length];
            for (int t = 0; t < counts.length; t++) {
                counts[t] = division.count(i, t);
            }
            ahead.start(0, division.seconds(i), counts);
        }
        double now = 0;
        for (int i = together; i < market.jobs(); i++) {
            int[] counts = ahead.choose(i);
            while (counts == null && !ahead.running.isEmpty()) {
                now = ahead.release();
                counts = ahead.choose(i);
            }
            if (counts == null) {
                return Double.POSITIVE_INFINITY; // cannot be: all fit on what is free now
            }
            ahead.start(now, market.seconds(i, counts), counts);
        }
        return ahead.total;
    }

    private void start(double now, double seconds, int[] counts) {
        total += now + seconds;
        running.add(new RunningEnd(now + seconds, counts));
        for (int t = 0; t < free.length; t++) {
            free[t] -= counts[t];
        }
    }

    /** The next job to end gives its GPUs back; returns when. */
    private double release() {
        int first = 0;
        for (int k = 1; k < running.size(); k++) {
            if (running.get(k).at < running.get(first).at) {
                first = k;
            }
        }
        RunningEnd over = running.remove(first);
        for (int t = 0; t < free.length; t++) {
            free[t] += over.counts[t];
        }
        return over.at;
    }

    /** The most GPUs of the best type, or of several types if it splits; null when too few are free. */
    private int @Nullable [] choose(int job) {
        int[] best = null;
        double min = Double.POSITIVE_INFINITY;
        for (int first = market.splits(job) ? -1 : 0; first < free.length; first++) {
            int[] counts = first < 0 ? fastestFirst(job) : oneType(job, first);
            int size = 0;
            for (int c : counts) {
                size += c;
            }
            if (size >= market.minWorkers(job)) {
                double seconds = market.seconds(job, counts);
                if (seconds < min) {
                    min = seconds;
                    best = counts;
                }
            }
        }
        return best;
    }

    private int[] oneType(int job, int type) {
        int[] counts = new int[free.length];
        counts[type] = market.rate(job, type) > 0 ? Math.min(free[type], market.maxWorkers(job)) : 0;
        return counts;
    }

    private int[] fastestFirst(int job) {
        int[] counts = new int[free.length];
        for (int left = market.maxWorkers(job); left > 0; ) {
            int fastest = -1;
            for (int t = 0; t < free.length; t++) {
                boolean open = counts[t] == 0 && free[t] > 0 && market.rate(job, t) > 0;
                if (open && (fastest < 0 || market.rate(job, t) > market.rate(job, fastest))) {
                    fastest = t;
                }
            }
            if (fastest < 0) {
                break;
            }
            counts[fastest] = Math.min(left, free[fastest]);
            left -= counts[fastest];
        }
        return counts;
    }
}
