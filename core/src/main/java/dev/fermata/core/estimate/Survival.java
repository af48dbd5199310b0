package dev.fermata.core.estimate;

/**
 * How jobs of one kind lived: for every step of age how many were seen in it to its end or theirs, and how many of those
 * ended in it. Jobs that still run, or did not end by themselves, count for the ages they have passed. An end is spread over the steps
 * around it: that one job ended after an hour says that others may end after fifty minutes. Memory is constant.
 */
final class Survival {
    /** Shares of an end from {@link #REACH} steps before it to as many after it. */
    private static final float[] SPREAD = {1 / 9f, 2 / 9f, 3 / 9f, 2 / 9f, 1 / 9f};

    static final int REACH = 2;

    private final float[] seen = new float[Ages.STEPS];
    private final float[] ended = new float[Ages.STEPS];
    private int jobs;

    /** A job passed all ages from one step up to another, which is out of reach of wherever it may end. */
    void passed(int fromStep, int toStep) {
        for (int step = fromStep; step < toStep; step++) {
            seen[step]++;
        }
    }

    /** A job ended in this step; it was counted up to {@link #REACH} steps before it. */
    void end(int step) {
        float alive = 1;
        for (int k = 0; k < SPREAD.length; k++) {
            int at = Math.max(0, Math.min(Ages.STEPS - 1, step - REACH + k));
            seen[at] += at > 0 || k == 0 ? alive : 0; // what falls before the first step is one job there
            ended[at] += SPREAD[k];
            alive -= SPREAD[k];
        }
        jobs++;
    }

    /** Jobs that ended. */
    int jobs() {
        return jobs;
    }

    float seen(int step) {
        return seen[step];
    }

    float ended(int step) {
        return ended[step];
    }
}
