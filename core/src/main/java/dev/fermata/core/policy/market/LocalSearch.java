package dev.fermata.core.policy.market;

import java.util.Arrays;

/**
 * Improves a division by small trades until none helps. A trade moves some workers of one type from one job to another
 * (or to or from those left over), or two jobs exchange one worker each.
 *
 * <p>One sweep looks at O(S² · (K + T²)) trades; a handful of sweeps is usual.
 */
final class LocalSearch {
    private static final double MIN_IMPROVEMENT = 1e-9;
    private static final int MAX_SWEEPS = 50;

    private final Market market;
    private final DivisionObjective objective;
    private final boolean idle;
    private final int jobs;
    private final int types;
    /** Workers by job and type; the last row holds those left over. */
    private final int[][] counts;

    private final int[] sizes;
    private final double[] seconds;
    /** When each row last changed, and when each pair was last examined without gain, counted in changes. */
    private final int[] changed;

    private final int[][] checkedAt;
    private int changes = 1;
    private double score;

    LocalSearch(Market market, DivisionObjective objective, boolean idle, Division start) {
        this.market = market;
        this.objective = objective;
        this.idle = idle;
        jobs = market.jobs();
        types = market.types();
        counts = new int[jobs + 1][types];
        sizes = new int[jobs + 1];
        seconds = new double[jobs];
        changed = new int[jobs + 1];
        checkedAt = new int[jobs + 1][jobs + 1];
        for (int t = 0; t < types; t++) {
            counts[jobs][t] = market.workers(t);
        }
        for (int i = 0; i < jobs; i++) {
            for (int t = 0; t < types; t++) {
                counts[i][t] = start.count(i, t);
                counts[jobs][t] -= counts[i][t];
                sizes[i] += counts[i][t];
            }
            seconds[i] = start.seconds(i);
        }
        for (int t = 0; t < types; t++) {
            sizes[jobs] += counts[jobs][t];
        }
        score = objective.score(seconds);
    }

    Division run() {
        boolean better = true;
        for (int sweep = 0; better && sweep < MAX_SWEEPS; sweep++) {
            better = false;
            for (int i = 0; i <= jobs; i++) {
                for (int j = 0; j <= jobs; j++) {
                    if (i != j && (objective.isFair() || checkedAt[i][j] <= Math.max(changed[i], changed[j]))) {
                        better |= tryTransfer(i, j);
                        better |= i < j && trySwap(i, j);
                        checkedAt[i][j] = changes;
                    }
                }
            }
        }
        return new Division(Arrays.copyOf(counts, jobs), seconds, score);
    }

    /** Some workers of one type from i to j. */
    private boolean tryTransfer(int i, int j) {
        if (j == jobs && !idle) {
            return false;
        }
        boolean better = false;
        int max = j == jobs ? Integer.MAX_VALUE : market.maxWorkers(j) - sizes[j];
        int spare = i == jobs ? Integer.MAX_VALUE : sizes[i] - market.minWorkers(i);
        int limit = Math.min(max, spare);
        for (int t = 0; t < types && limit > 0; t++) {
            if (j < jobs && market.rate(j, t) == 0) {
                continue;
            }
            for (int m = 1; m <= Math.min(limit, counts[i][t]); m++) {
                move(i, j, t, m);
                if (keep(i, j)) {
                    better = true;
                    sizes[i] -= m;
                    sizes[j] += m;
                    limit -= m;
                    m = 0;
                } else {
                    move(j, i, t, m);
                }
            }
        }
        return better;
    }

    /** One worker of a type from i to j, one of another type back. */
    private boolean trySwap(int i, int j) {
        boolean better = false;
        for (int t = 0; t < types; t++) {
            for (int u = 0; u < types; u++) {
                boolean both = t != u
                        && counts[i][t] > 0
                        && counts[j][u] > 0
                        && (j == jobs || market.rate(j, t) > 0)
                        && (i == jobs || market.rate(i, u) > 0);
                if (both) {
                    move(i, j, t, 1);
                    move(j, i, u, 1);
                    if (keep(i, j)) {
                        better = true;
                    } else {
                        move(i, j, u, 1);
                        move(j, i, t, 1);
                    }
                }
            }
        }
        return better;
    }

    private void move(int from, int to, int type, int workers) {
        counts[from][type] -= workers;
        counts[to][type] += workers;
    }

    /** Whether the counts of i and j as they now stand are better than before; if so, takes them as given. */
    private boolean keep(int i, int j) {
        double wasI = i == jobs ? 0 : seconds[i];
        double wasJ = j == jobs ? 0 : seconds[j];
        double nowI = i == jobs ? 0 : market.seconds(i, counts[i]);
        double nowJ = j == jobs ? 0 : market.seconds(j, counts[j]);
        double next;
        if (objective.isFair()) {
            set(i, nowI);
            set(j, nowJ);
            next = objective.score(seconds);
            set(i, wasI);
            set(j, wasJ);
        } else {
            next = score + (nowI + nowJ - wasI - wasJ) / jobs;
        }
        if (next >= score - MIN_IMPROVEMENT * Math.abs(score)) {
            return false;
        }
        set(i, nowI);
        set(j, nowJ);
        score = next;
        changed[i] = changes;
        changed[j] = changes;
        changes++;
        return true;
    }

    private void set(int job, double value) {
        if (job < jobs) {
            seconds[job] = value;
        }
    }
}
