package dev.fermata.core.policy.rehearsal;

import java.util.List;

/**
 * Plays submissions through one pool of GPUs. Gangs run whole or not at all, the least remaining work times GPUs to the
 * power of an exponent first, and a preempted job repeats its overhead. It knows neither places nor types; it compares
 * exponents and predicts nothing. Costs O(events · live jobs).
 */
final class PoolReplay {
    /**
     * One job of the past.
     *
     * @param workMillis what it needed in all, or is estimated to need
     * @param overheadMillis what a preemption adds to its work
     */
    record Submission(long id, long arrivalMillis, int gpus, double workMillis, double overheadMillis) {}

    private final List<Submission> jobs;
    private final int gpus;
    private final double[] left;
    private final double[] weight;
    private final double[] key;
    private final boolean[] runs;
    /** Live jobs in rank order. */
    private final int[] live;

    private int liveCount;
    private long operations;
    private boolean waited;

    /** @param jobs by arrival; each fits the pool */
    PoolReplay(List<Submission> jobs, int gpus) {
        this.jobs = jobs;
        this.gpus = gpus;
        this.left = new double[jobs.size()];
        this.weight = new double[jobs.size()];
        this.key = new double[jobs.size()];
        this.runs = new boolean[jobs.size()];
        this.live = new int[jobs.size()];
    }

    /** The mean completion time under this exponent. */
    double meanCompletionMillis(double exponent) {
        liveCount = 0;
        double now = 0;
        double sum = 0;
        int next = 0;
        while (next < jobs.size() || liveCount > 0) {
            double then = Math.max(now, Math.min(nextEnd(now), next < jobs.size() ? arrival(next) : Double.MAX_VALUE));
            sum += advance(then - now, then);
            now = then;
            for (; next < jobs.size() && arrival(next) <= now; next++) {
                submit(next, exponent);
            }
            fill();
        }
        return sum / Math.max(1, jobs.size());
    }

    /** Whether a job had to wait in a replay so far; where none has to, every exponent gives the same. */
    boolean anyJobWaited() {
        return waited;
    }

    /** Steps of work so far, which bound the time it took. */
    long operations() {
        return operations;
    }

    private double arrival(int job) {
        return jobs.get(job).arrivalMillis();
    }

    private void submit(int job, double exponent) {
        Submission submission = jobs.get(job);
        left[job] = submission.workMillis();
        weight[job] = StrictMath.pow(submission.gpus(), exponent);
        runs[job] = false;
        live[liveCount++] = job;
    }

    private double nextEnd(double now) {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < liveCount; i++) {
            if (runs[live[i]]) {
                least = Math.min(least, left[live[i]]);
            }
        }
        return least == Double.MAX_VALUE ? least : now + least;
    }

    /** Lets the running jobs work; returns the completion times of those that end. */
    private double advance(double millis, double then) {
        double ended = 0;
        int kept = 0;
        for (int i = 0; i < liveCount; i++) {
            int job = live[i];
            left[job] -= runs[job] ? millis : 0;
            if (runs[job] && left[job] <= 1e-6) {
                ended += then - arrival(job);
            } else {
                live[kept++] = job;
            }
        }
        liveCount = kept;
        return ended;
    }

    /** Sorts the live jobs and lets the first run that fit. A running job counts as shorter by what preempting it would cost. */
    private void fill() {
        operations += 3L * liveCount + 1;
        for (int i = 0; i < liveCount; i++) {
            int job = live[i];
            double saved = runs[job] ? jobs.get(job).overheadMillis() : 0;
            key[job] = weight[job] * Math.max(0, left[job] - saved);
            int at = i;
            // few jobs change places between two events
            for (; at > 0 && isBefore(job, live[at - 1]); at--) {
                live[at] = live[at - 1];
                operations++;
            }
            live[at] = job;
        }
        int free = gpus;
        for (int i = 0; i < liveCount; i++) {
            int job = live[i];
            boolean fits = jobs.get(job).gpus() <= free;
            waited |= !fits;
            free -= fits ? jobs.get(job).gpus() : 0;
            if (runs[job] && !fits) {
                left[job] += jobs.get(job).overheadMillis();
            }
            runs[job] = fits;
        }
    }

    private boolean isBefore(int a, int b) {
        if (key[a] != key[b]) {
            return key[a] < key[b];
        }
        return runs[a] != runs[b] ? runs[a] : a < b; // no job is preempted for its equal
    }
}
