package dev.fermata.core.policy.market;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The categories of a market: how many workers each job gets, whichever they are. Inside a category the communication of
 * every job is fixed, and only the choice of workers is left.
 */
final class Categories {
    private final Market market;
    private final boolean idle;
    private final int jobs;
    private final int workers;
    private final int[] minSizes;
    private final int[] maxSizes;

    /** @param idle whether workers may be left over although a job could take them */
    Categories(Market market, boolean idle) {
        this.market = market;
        this.idle = idle;
        this.jobs = market.jobs();
        this.workers = market.workers();
        this.minSizes = new int[jobs];
        this.maxSizes = new int[jobs];
        int needed = 0;
        for (int i = 0; i < jobs; i++) {
            minSizes[i] = market.minWorkers(i);
            maxSizes[i] = Math.min(market.maxWorkers(i), workers);
            needed += minSizes[i];
        }
        if (needed > workers) {
            throw new IllegalArgumentException(jobs + " jobs need at least " + needed + " workers, not " + workers);
        }
    }

    /** How many there are when every job takes any number from one on: C(K-1, S-1), or C(K, S) when workers may idle. */
    static double count(int jobs, int workers, boolean idle) {
        int n = idle ? workers : workers - 1;
        int k = idle ? jobs : jobs - 1;
        double count = 1;
        for (int i = 1; i <= k; i++) {
            count = count * (n - k + i) / i;
        }
        return Math.rint(count);
    }

    /** All of them, or none when there are more than the limit. */
    List<int[]> all(int limit) {
        List<int[]> found = new ArrayList<>();
        return list(new int[jobs], 0, workers, limit, found) ? found : List.of();
    }

    private boolean list(int[] sizes, int job, int left, int limit, List<int[]> found) {
        if (job == jobs) {
            boolean counts = idle || left == 0 || Arrays.equals(sizes, maxSizes);
            if (counts && found.size() < limit) {
                found.add(sizes.clone());
                return true;
            }
            return !counts;
        }
        int later = 0;
        for (int i = job + 1; i < jobs; i++) {
            later += minSizes[i];
        }
        for (int size = minSizes[job]; size <= Math.min(maxSizes[job], left - later); size++) {
            sizes[job] = size;
            if (!list(sizes, job + 1, left - size, limit, found)) {
                return false;
            }
        }
        return true;
    }

    /** The smallest division: every job gets its least size. */
    int[] minSizes() {
        return minSizes.clone();
    }

    /** Workers divided evenly, the first jobs getting one more. */
    int[] equalSizes() {
        int[] sizes = minSizes.clone();
        int left = workers - Arrays.stream(sizes).sum();
        while (left > 0) {
            int smallest = -1;
            for (int i = 0; i < jobs; i++) {
                if (sizes[i] < maxSizes[i] && (smallest < 0 || sizes[i] < sizes[smallest])) {
                    smallest = i;
                }
            }
            if (smallest < 0) {
                break;
            }
            sizes[smallest]++;
            left--;
        }
        return sizes;
    }

    /**
     * The centre: from the least sizes on, workers go where each of them saves most time, communication included. It looks
     * ahead: where communication grows in steps, a second worker may not pay, and a fourth pay for all of them.
     */
    int[] greedy() {
        double[][] seconds = new double[jobs][];
        int[] sizes = minSizes.clone();
        int left = workers - Arrays.stream(sizes).sum();
        for (int i = 0; i < jobs; i++) {
            int top = Math.min(maxSizes[i], minSizes[i] + left);
            double mean = market.meanRate(i);
            seconds[i] = new double[top - minSizes[i] + 1];
            for (int k = minSizes[i]; k <= top; k++) {
                seconds[i][k - minSizes[i]] = market.seconds(i, k * mean, k);
            }
        }
        while (left > 0) {
            int winner = -1;
            int more = 0;
            double saves = idle ? 0 : Double.NEGATIVE_INFINITY;
            for (int i = 0; i < jobs; i++) {
                int at = sizes[i] - minSizes[i];
                for (int m = 1; m <= left && at + m < seconds[i].length; m++) {
                    double each = (seconds[i][at] - seconds[i][at + m]) / m;
                    if (each > saves) {
                        saves = each;
                        winner = i;
                        more = m;
                    }
                }
            }
            if (winner < 0) {
                break;
            }
            sizes[winner] += more;
            left -= more;
        }
        return sizes;
    }

    /** One drawn uniformly (exactly so when no job has an upper limit). */
    int[] uniform(DeterministicRandom random) {
        int left = workers;
        for (int i = 0; i < jobs; i++) {
            left -= minSizes[i];
        }
        int parts = idle ? jobs + 1 : jobs;
        int[] sizes = minSizes.clone();
        int spare = 0;
        // stars and bars: walk over stars and bars that are left, in random order
        int bars = parts - 1;
        int part = 0;
        while (left > 0) {
            if (random.nextInt(left + bars) < bars) {
                bars--;
                part++;
            } else {
                left--;
                if (part < jobs && sizes[part] < maxSizes[part]) {
                    sizes[part]++;
                } else {
                    spare++;
                }
            }
        }
        for (int i = 0; !idle && i < jobs && spare > 0; i++) {
            int more = Math.min(spare, maxSizes[i] - sizes[i]);
            sizes[i] += more;
            spare -= more;
        }
        return sizes;
    }

    /** One to three workers away from a centre: each moves from one job to another, or out of or into idleness. */
    int[] nearby(int[] centre, DeterministicRandom random) {
        int[] sizes = centre.clone();
        int spare = workers - Arrays.stream(sizes).sum();
        int parts = idle || spare > 0 ? jobs + 1 : jobs;
        for (int moves = 1 + random.nextInt(3); moves > 0; moves--) {
            int from = random.nextInt(parts);
            int to = random.nextInt(parts);
            boolean gives = from < jobs ? sizes[from] > minSizes[from] : spare > 0;
            boolean takes = to < jobs ? sizes[to] < maxSizes[to] : idle;
            if (from != to && gives && takes) {
                spare += (to == jobs ? 1 : 0) - (from == jobs ? 1 : 0);
                if (from < jobs) {
                    sizes[from]--;
                }
                if (to < jobs) {
                    sizes[to]++;
                }
            }
        }
        return sizes;
    }

    /** Up to {@code samples} different ones, the centre and the even division among them; all when there are no more. */
    List<int[]> sample(int samples, double alpha, boolean centred, DeterministicRandom random) {
        List<int[]> every = all(samples);
        if (!every.isEmpty()) {
            return every;
        }
        List<int[]> chosen = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        int[] centre = centred ? greedy() : equalSizes();
        if (centred) {
            add(centre, chosen, seen);
        }
        if (chosen.size() < samples) {
            add(equalSizes(), chosen, seen);
        }
        for (int tries = 0; chosen.size() < samples && tries < 4 * samples; tries++) {
            add(centred && random.nextDouble() < alpha ? nearby(centre, random) : uniform(random), chosen, seen);
        }
        return chosen;
    }

    private static void add(int[] sizes, List<int[]> chosen, Set<Long> seen) {
        long hash = 1;
        for (int size : sizes) {
            hash = hash * 0x5DEECE66DL + size + 1;
        }
        if (seen.add(hash)) {
            chosen.add(sizes);
        }
    }
}
