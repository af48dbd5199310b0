package dev.fermata.core.policy.rehearsal;

import dev.fermata.core.policy.rehearsal.PoolReplay.Submission;
import java.util.List;

/** Replays as plainly as they can be written: every event computes all keys and visits all live jobs. */
final class PlainPoolReplay {
    private final int jobs;
    private final int gpus;
    // by job, in order of arrival: plain arrays, since a replay reads them at every event
    private final double[] arrival;
    private final double[] work;
    private final double[] overhead;
    private final int[] demand;
    private final double[] left;
    private final double[] weight;
    private final boolean[] runs;
    /** Live jobs in rank order, and the keys of their ranks. */
    private final int[] live;

    private final double[] keys;
    private int liveCount;
    /** The least work that a running job has left. */
    private double leastLeft;

    private long operations;
    private boolean waited;
    private int preemptions;

    /** @param submissions by arrival; each fits the pool */
    PlainPoolReplay(List<Submission> submissions, int gpus) {
        this.jobs = submissions.size();
        this.gpus = gpus;
        this.arrival = new double[jobs];
        this.work = new double[jobs];
        this.overhead = new double[jobs];
        this.demand = new int[jobs];
        this.left = new double[jobs];
        this.weight = new double[jobs];
        this.runs = new boolean[jobs];
        this.live = new int[jobs];
        this.keys = new double[jobs];
        for (int job = 0; job < jobs; job++) {
            Submission submission = submissions.get(job);
            arrival[job] = submission.arrivalMillis();
            work[job] = submission.workMillis();
            overhead[job] = submission.overheadMillis();
            demand[job] = submission.gpus();
        }
    }

    /** The mean completion time under this exponent. */
    double meanCompletionMillis(double exponent) {
        liveCount = 0;
        preemptions = 0;
        leastLeft = Double.MAX_VALUE;
        double now = 0;
        double sum = 0;
        int next = 0;
        while (next < jobs || liveCount > 0) {
            double end = leastLeft == Double.MAX_VALUE ? leastLeft : now + leastLeft;
            double then = Math.max(now, Math.min(end, next < jobs ? arrival[next] : Double.MAX_VALUE));
            sum += advance(then - now, then);
            now = then;
            for (; next < jobs && arrival[next] <= now; next++) {
                submit(next, exponent);
            }
            fill();
        }
        return sum / Math.max(1, jobs);
    }

    /** Whether a job had to wait in a replay so far; where none has to, every exponent gives the same. */
    boolean anyJobWaited() {
        return waited;
    }

    /** Jobs preempted in the last replay. */
    int preemptions() {
        return preemptions;
    }

    /** Steps of work so far, which bound the time it took. */
    long operations() {
        return operations;
    }

    private void submit(int job, double exponent) {
        left[job] = work[job];
        weight[job] = StrictMath.pow(demand[job], exponent);
        runs[job] = false;
        insert(job, liveCount++);
    }

    /**
     * Lets the running jobs work, and sorts again those that go on; returns the completion times of those that end. One walk
     * does all of it, since replays are most of what a rehearsal costs.
     */
    private double advance(double millis, double then) {
        double ended = 0;
        int kept = 0;
        for (int i = 0; i < liveCount; i++) {
            int job = live[i];
            if (runs[job]) {
                left[job] -= millis;
                if (left[job] <= 1e-6) {
                    ended += then - arrival[job];
                    continue;
                }
            }
            insert(job, kept++);
        }
        liveCount = kept;
        return ended;
    }

    /** Puts a job where it belongs among the first {@code count} live jobs: few change places between two events. */
    private void insert(int job, int count) {
        // a running job counts as shorter by what preempting it would cost
        double key = weight[job] * Math.max(0, runs[job] ? left[job] - overhead[job] : left[job]);
        int at = count;
        for (; at > 0 && isBefore(job, key, at - 1); at--) {
            live[at] = live[at - 1];
            keys[at] = keys[at - 1];
        }
        operations += count - at;
        live[at] = job;
        keys[at] = key;
    }

    /** Lets the first jobs run that fit. */
    private void fill() {
        operations += 3L * liveCount + 1;
        int free = gpus;
        leastLeft = Double.MAX_VALUE;
        for (int i = 0; i < liveCount; i++) {
            int job = live[i];
            boolean fits = demand[job] <= free;
            if (fits) {
                free -= demand[job];
                leastLeft = Math.min(leastLeft, left[job]);
            } else {
                waited = true;
                left[job] += runs[job] ? overhead[job] : 0;
                preemptions += runs[job] ? 1 : 0;
            }
            runs[job] = fits;
        }
    }

    /** Whether a job with this key goes before the one at this place. */
    private boolean isBefore(int job, double key, int place) {
        if (key != keys[place]) {
            return key < keys[place];
        }
        int other = live[place];
        return runs[job] != runs[other] ? runs[job] : job < other; // no job is preempted for its equal
    }
}
