package dev.fermata.core.policy.rehearsal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    /** Live jobs in rank order, and the keys of their ranks as of the last event. */
    private final int[] live;

    private final double[] keys;
    private int liveCount;
    /** How many of the live jobs run, and the GPUs that all of them need. */
    private int runningCount;

    private long liveDemand;
    /** The least work that a running job has left. */
    private double leastLeft;

    private long operations;
    private boolean waited;
    private int preemptions;

    /** @param submissions by arrival; each fits the pool */
    PoolReplay(List<Submission> submissions, int gpus) {
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
        setWeights(exponent);
        liveCount = 0;
        runningCount = 0;
        liveDemand = 0;
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
            int first = next;
            for (; next < jobs && arrival[next] <= now; next++) {
                submit(next);
            }
            fill(first, next);
        }
        return sum / Math.max(1, jobs);
    }

    /** Powers are slow to compute, and few sizes of gangs are in use. */
    private void setWeights(double exponent) {
        Map<Integer, Double> bySize = new HashMap<>();
        for (int job = 0; job < jobs; job++) {
            weight[job] = bySize.computeIfAbsent(demand[job], size -> StrictMath.pow(size, exponent));
        }
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

    private void submit(int job) {
        left[job] = work[job];
        runs[job] = false;
        liveDemand += demand[job];
        insert(job, weight[job] * Math.max(0, left[job]), liveCount++);
    }

    /**
     * Lets the running jobs work, and sorts again those that go on; returns the completion times of those that end. One walk
     * does all of it, since replays are most of what a rehearsal costs.
     */
    private double advance(double millis, double then) {
        double ended = 0;
        double least = Double.MAX_VALUE;
        double lastKey = Double.NEGATIVE_INFINITY;
        int kept = 0;
        for (int i = 0; i < liveCount; i++) {
            int job = live[i];
            double key = keys[i];
            if (runs[job]) {
                double rest = left[job] - millis;
                left[job] = rest;
                if (rest <= 1e-6) {
                    ended += then - arrival[job];
                    runningCount--;
                    liveDemand -= demand[job];
                    continue;
                }
                least = rest < least ? rest : least;
                // a running job counts as shorter by what preempting it would cost
                key = rest > overhead[job] ? weight[job] * (rest - overhead[job]) : 0;
            }
            if (key <= lastKey) {
                insert(job, key, kept++);
                lastKey = keys[kept - 1];
            } else {
                live[kept] = job;
                keys[kept++] = key;
                lastKey = key;
            }
        }
        liveCount = kept;
        leastLeft = least;
        return ended;
    }

    /** Puts a job where it belongs among the first {@code count} live jobs: few change places between two events. */
    private void insert(int job, double key, int count) {
        int at = count;
        for (; at > 0 && isBefore(job, key, at - 1); at--) {
            live[at] = live[at - 1];
            keys[at] = keys[at - 1];
        }
        operations += count - at;
        live[at] = job;
        keys[at] = key;
    }

    /** Lets the first jobs run that fit; those from {@code from} to {@code end} were submitted since the last time. */
    private void fill(int from, int end) {
        operations += 3L * liveCount + 1;
        if (liveDemand <= gpus && runningCount + end - from == liveCount) {
            for (int job = from; job < end; job++) { // all others run already
                runs[job] = true;
                leastLeft = Math.min(leastLeft, left[job]);
            }
            runningCount = liveCount;
            return;
        }
        int free = gpus;
        int toVisit = runningCount;
        int fitting = 0;
        leastLeft = Double.MAX_VALUE;
        for (int i = 0; i < liveCount; i++) {
            if (free == 0 && toVisit == 0) { // nothing changes for those that wait already
                waited = true;
                break;
            }
            int job = live[i];
            boolean ran = runs[job];
            toVisit -= ran ? 1 : 0;
            if (demand[job] <= free) {
                free -= demand[job];
                fitting++;
                leastLeft = Math.min(leastLeft, left[job]);
                runs[job] = true;
            } else {
                waited = true;
                if (ran) {
                    left[job] += overhead[job];
                    keys[i] = weight[job] * Math.max(0, left[job]);
                    preemptions++;
                    runs[job] = false;
                }
            }
        }
        runningCount = fitting;
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
