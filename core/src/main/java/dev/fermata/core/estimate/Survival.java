package dev.fermata.core.estimate;

/**
 * How jobs of one kind lived: for every step of age how many were seen in it to its end or theirs, and how many of those
 * ended in it. Jobs that still run, or did not end by themselves, count for the ages they have passed. An end is spread over the steps
 * around it: that one job ended after an hour says that others may end after fifty minutes. Memory is constant.
 */
final class Survival {
    /** Shares of an end from {@link #REACH} steps before it to as many after it. */
    private static final double[] SPREAD = {1 / 9.0, 2 / 9.0, 3 / 9.0, 2 / 9.0, 1 / 9.0};

    static final int REACH = 2;

    private final double[] seen = new double[Ages.STEPS];
    private final double[] ended = new double[Ages.STEPS];
    private int jobs;

    /** A job passed all ages from one step up to another, which is out of reach of wherever it may end. */
    void passed(int fromStep, int toStep) {
        for (int step = fromStep; step < toStep; step++) {
            seen[step]++;
        }
    }

    /** A job ended in this step; it was counted up to {@link #REACH} steps before it. */
    void end(int step) {
        double alive = 1;
        int before = -1;
        for (int k = 0; k < SPREAD.length; k++) {
            int at = Math.max(0, Math.min(Ages.STEPS - 1, step - REACH + k));
            seen[at] += at == before ? 0 : alive; // what falls beyond the first or last step is one job there
            ended[at] += SPREAD[k];
            alive -= SPREAD[k];
            before = at;
        }
        jobs++;
    }

    /** Jobs that ended. */
    int jobs() {
        return jobs;
    }

    double seen(int step) {
        return seen[step];
    }

    double ended(int step) {
        return ended[step];
    }
}
