package dev.fermata.core.policy.market;

import java.util.Arrays;

/**
 * Clears a market by shortest augmenting paths with dual prices, on types instead of single workers. A path moves as
 * many workers at once as it can. After Jonker and Volgenant, "A shortest augmenting path algorithm for dense and
 * sparse linear assignment problems", Computing 38, 1987.
 *
 * <p>Exact. O(S + T) paths in practice, each O(S·T + T²); with all workers different (T = K) this is the usual assignment
 * problem with K paths.
 */
final class ShortestPaths implements Clearing {
    private double[] jobPotential = {};
    private double[] typePotential = {};
    private double[] distance = {};
    private double[] jobDistance = {};
    private int[] left = {};
    private int[] cameFromJob = {};
    private int[] cameFromType = {};
    private boolean[] settled = {};
    private boolean[] reached = {};

    @Override
    public boolean clear(double[][] worth, int[] sizes, int[] capacity, int[][] division) {
        int jobs = sizes.length;
        int types = capacity.length;
        reset(jobs, types);
        System.arraycopy(capacity, 0, left, 0, types);
        for (int i = 0; i < jobs; i++) {
            Arrays.fill(division[i], 0, types, 0);
        }
        for (int i = 0; i < jobs; i++) {
            double best = Double.POSITIVE_INFINITY;
            for (int t = 0; t < types; t++) {
                best = Math.min(best, -worth[i][t] - typePotential[t]);
            }
            jobPotential[i] = best;
            for (int missing = sizes[i]; missing > 0; ) {
                int end = best == Double.POSITIVE_INFINITY ? -1 : search(worth, i, jobs, types, division);
                if (end < 0) {
                    return false;
                }
                missing -= augment(i, end, missing, division);
            }
        }
        return true;
    }

    @Override
    public double price(int type) {
        return Math.max(0, -typePotential[type]);
    }

    private void reset(int jobs, int types) {
        if (jobPotential.length < jobs || typePotential.length < types) {
            jobPotential = new double[jobs];
            jobDistance = new double[jobs];
            cameFromType = new int[jobs];
            reached = new boolean[jobs];
            typePotential = new double[types];
            distance = new double[types];
            cameFromJob = new int[types];
            settled = new boolean[types];
            left = new int[types];
        }
        Arrays.fill(typePotential, 0);
    }

    /** Dijkstra over reduced costs from one job to the nearest type with workers left; returns that type, or -1. */
    private int search(double[][] worth, int from, int jobs, int types, int[][] division) {
        Arrays.fill(settled, 0, types, false);
        Arrays.fill(reached, 0, jobs, false);
        Arrays.fill(distance, 0, types, Double.POSITIVE_INFINITY);
        reach(worth, from, -1, 0, types);
        while (true) {
            int nearest = -1;
            for (int t = 0; t < types; t++) {
                if (!settled[t] && (nearest < 0 || distance[t] < distance[nearest])) {
                    nearest = t;
                }
            }
            if (nearest < 0 || distance[nearest] == Double.POSITIVE_INFINITY) {
                return -1;
            }
            if (left[nearest] > 0) {
                reprice(distance[nearest], jobs, types);
                return nearest;
            }
            settled[nearest] = true;
            for (int j = 0; j < jobs; j++) {
                if (!reached[j] && division[j][nearest] > 0) {
                    reach(worth, j, nearest, distance[nearest], types);
                }
            }
        }
    }

    private void reach(double[][] worth, int job, int over, double at, int types) {
        reached[job] = true;
        jobDistance[job] = at;
        cameFromType[job] = over;
        for (int t = 0; t < types; t++) {
            double next = at - worth[job][t] - jobPotential[job] - typePotential[t];
            if (!settled[t] && next < distance[t]) {
                distance[t] = next;
                cameFromJob[t] = job;
            }
        }
    }

    private void reprice(double length, int jobs, int types) {
        for (int t = 0; t < types; t++) {
            typePotential[t] -= settled[t] ? length - distance[t] : 0;
        }
        for (int j = 0; j < jobs; j++) {
            jobPotential[j] += reached[j] ? length - jobDistance[j] : 0;
        }
    }

    /** Moves workers along the path that ends at this type; returns how many. */
    private int augment(int from, int end, int wanted, int[][] division) {
        int amount = Math.min(wanted, left[end]);
        for (int job = cameFromJob[end]; job != from; job = cameFromJob[cameFromType[job]]) {
            amount = Math.min(amount, division[job][cameFromType[job]]);
        }
        left[end] -= amount;
        int type = end;
        while (true) {
            int job = cameFromJob[type];
            division[job][type] += amount;
            if (job == from) {
                return amount;
            }
            type = cameFromType[job];
            division[job][type] -= amount;
        }
    }
}
