package dev.fermata.core.policy.market;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The model of the paper: {@code JCT = rounds · (samples / R + 2 (k-1) bytes / (k · link))}. The job has rate R on k
 * workers; the second term is a ring all-reduce over links of one speed.
 *
 * <p>Liu et al., "Sampling-Based Multi-Job Placement for Heterogeneous Deep Learning Clusters", IEEE TPDS 35(6), 2024; the
 * formulas as a third-party implementation gives them. Workers on which every job has the same throughput are one type;
 * types are kept in the order of their throughputs, so the order in which workers are named changes nothing.
 */
public final class RingAllReduceMarket implements Market {
    private final List<TrainingJob> jobs;
    private final double[][] rates;
    private final int[] counts;
    private final int[][] workersOfType;
    private final double bytesPerSecond;

    /** @param throughput samples per second of each job (row) on each worker (column) */
    public RingAllReduceMarket(List<TrainingJob> jobs, double[][] throughput, double bytesPerSecond) {
        if (jobs.isEmpty() || throughput.length != jobs.size() || !(bytesPerSecond > 0)) {
            throw new IllegalArgumentException(
                    "a market needs jobs, a row of throughputs for each of them, and a link speed above zero");
        }
        this.jobs = List.copyOf(jobs);
        this.bytesPerSecond = bytesPerSecond;
        int workers = throughput[0].length;
        List<Integer> order = new ArrayList<>();
        for (int k = 0; k < workers; k++) {
            order.add(k);
        }
        order.sort((a, b) -> {
            int byRates = compareColumns(throughput, a, b);
            return byRates != 0 ? byRates : Integer.compare(a, b);
        });
        List<List<Integer>> groups = new ArrayList<>();
        for (int k : order) {
            boolean same = !groups.isEmpty()
                    && compareColumns(throughput, groups.get(groups.size() - 1).get(0), k) == 0;
            if (!same) {
                groups.add(new ArrayList<>());
            }
            groups.get(groups.size() - 1).add(k);
        }
        workersOfType = groups.stream()
                .map(g -> g.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
        counts = Arrays.stream(workersOfType).mapToInt(g -> g.length).toArray();
        rates = new double[jobs.size()][groups.size()];
        for (int i = 0; i < rates.length; i++) {
            for (int t = 0; t < groups.size(); t++) {
                rates[i][t] = throughput[i][workersOfType[t][0]];
            }
        }
    }

    private static int compareColumns(double[][] throughput, int a, int b) {
        for (double[] row : throughput) {
            int byRate = Double.compare(row[a], row[b]);
            if (byRate != 0) {
                return byRate;
            }
        }
        return 0;
    }

    @Override
    public int jobs() {
        return rates.length;
    }

    @Override
    public int types() {
        return counts.length;
    }

    @Override
    public int workers(int type) {
        return counts[type];
    }

    @Override
    public double rate(int job, int type) {
        return rates[job][type];
    }

    @Override
    public double work(int job) {
        return jobs.get(job).rounds() * jobs.get(job).samples();
    }

    @Override
    public double seconds(int job, double rate, int workers) {
        TrainingJob it = jobs.get(job);
        double communication = 2.0 * (workers - 1) * it.modelBytes() / (bytesPerSecond * workers);
        return it.rounds() * (it.samples() / rate + communication);
    }

    @Override
    public double seconds(int job, int[] division) {
        double[] row = rates[job];
        double rate = 0;
        int workers = 0;
        for (int t = 0; t < row.length; t++) {
            rate += division[t] * row[t];
            workers += division[t];
        }
        return seconds(job, rate, workers);
    }

    /** The workers by number, as the constructor was given them, that each job gets under a division. */
    public int[][] workersOf(int[][] division) {
        int[] next = new int[counts.length];
        int[][] chosen = new int[division.length][];
        for (int i = 0; i < division.length; i++) {
            int[] mine = new int[Arrays.stream(division[i]).sum()];
            int n = 0;
            for (int t = 0; t < counts.length; t++) {
                for (int c = 0; c < division[i][t]; c++) {
                    mine[n++] = workersOfType[t][next[t]++];
                }
            }
            Arrays.sort(mine);
            chosen[i] = mine;
        }
        return chosen;
    }
}
