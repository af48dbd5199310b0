package dev.fermata.core.policy.market;

/**
 * Jobs that compete for workers of a few types. Workers of one type are exchangeable, so a division of the workers is a
 * count for each job and type.
 *
 * <p>Each job splits its training data over its workers in proportion to their throughput, so that all of them finish a
 * round together: only the sum of their throughputs (the rate) and how many they are matter.
 */
public interface Market {
    int jobs();

    int types();

    /** Workers of a type. */
    int workers(int type);

    /** Throughput of a job on one worker of a type; 0 where it may not run. */
    double rate(int job, int type);

    /** What the job has to compute, in units of rate times seconds. */
    double work(int job);

    /** Completion time at this rate on this many workers, wherever they are. */
    double seconds(int job, double rate, int workers);

    /** Completion time on these workers, counted by type; at least one of them. */
    default double seconds(int job, int[] counts) {
        double rate = 0;
        int workers = 0;
        for (int t = 0; t < counts.length; t++) {
            if (counts[t] > 0) {
                rate += counts[t] * rate(job, t);
                workers += counts[t];
            }
        }
        return seconds(job, rate, workers);
    }

    /** The fewest workers it runs on. */
    default int minWorkers(int job) {
        return 1;
    }

    /** The most workers it can use. */
    default int maxWorkers(int job) {
        return Integer.MAX_VALUE;
    }

    /** Whether it may run on workers of several types at once, each with its share of the data. */
    default boolean splits(int job) {
        return true;
    }

    default int workers() {
        int sum = 0;
        for (int t = 0; t < types(); t++) {
            sum += workers(t);
        }
        return sum;
    }

    /** Mean throughput of a job over the workers it may run on; 0 when there are none. */
    default double meanRate(int job) {
        double sum = 0;
        int usable = 0;
        for (int t = 0; t < types(); t++) {
            if (rate(job, t) > 0) {
                sum += rate(job, t) * workers(t);
                usable += workers(t);
            }
        }
        return usable == 0 ? 0 : sum / usable;
    }

    /** Completion time on an equal share of all workers, average ones: what fairness is measured against. */
    default double equalSeconds(int job) {
        int share = Math.max(minWorkers(job), Math.min(maxWorkers(job), Math.max(1, workers() / jobs())));
        return seconds(job, share * meanRate(job), share);
    }
}
