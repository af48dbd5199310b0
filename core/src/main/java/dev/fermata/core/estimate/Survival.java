package dev.fermata.core.estimate;

/**
 * How jobs of one kind lived: for every step of age how many were seen in it to its end or theirs, and how many of those
 * ended in it. Jobs that still run, or were cancelled, count for the ages they have passed. Memory is constant.
 */
final class Survival {
    private final float[] seen = new float[Ages.STEPS];
    private final float[] ended = new float[Ages.STEPS];
    private int jobs;

    /** A job passed all ages from one step up to another, which it has not left yet. */
    void passed(int fromStep, int toStep) {
        for (int step = fromStep; step < toStep; step++) {
            seen[step]++;
        }
    }

    /** A job ended in this step. */
    void end(int step) {
        seen[step]++;
        ended[step]++;
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
