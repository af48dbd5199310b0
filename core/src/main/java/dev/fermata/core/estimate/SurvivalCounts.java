package dev.fermata.core.estimate;

/**
 * Run times of the jobs of one group. For every step of age it counts the jobs that reached the step and the jobs that
 * ended in it. Jobs that still run, or did not end by themselves, count for the ages they have passed. An end is spread
 * over the steps around it: when one job ended after an hour others may end after fifty minutes. Memory is constant.
 */
final class SurvivalCounts {
    /** Shares of an end from {@link #SMOOTHING_RADIUS} steps before it to as many after it. */
    private static final double[] SMOOTHING = {1 / 9.0, 2 / 9.0, 3 / 9.0, 2 / 9.0, 1 / 9.0};

    static final int SMOOTHING_RADIUS = 2;

    private final double[] atRisk = new double[AgeSteps.STEPS];
    private final double[] ended = new double[AgeSteps.STEPS];
    private int endedJobs;

    /** A job passed all steps from one to another without ending; the smoothing of its end does not reach them. */
    void recordPassed(int fromStep, int toStep) {
        for (int step = fromStep; step < toStep; step++) {
            atRisk[step]++;
        }
    }

    /** A job ended in this step; it was counted up to {@link #SMOOTHING_RADIUS} steps before it. */
    void recordEnd(int step) {
        double surviving = 1;
        int before = -1;
        for (int k = 0; k < SMOOTHING.length; k++) {
            int at = Math.max(0, Math.min(AgeSteps.STEPS - 1, step - SMOOTHING_RADIUS + k));
            atRisk[at] += at == before ? 0 : surviving; // what falls beyond the first or last step is one job there
            ended[at] += SMOOTHING[k];
            surviving -= SMOOTHING[k];
            before = at;
        }
        endedJobs++;
    }

    /** Jobs that ended. */
    int endedJobs() {
        return endedJobs;
    }

    double atRisk(int step) {
        return atRisk[step];
    }

    double ended(int step) {
        return ended[step];
    }
}
