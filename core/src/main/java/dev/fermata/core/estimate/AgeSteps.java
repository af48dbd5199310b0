package dev.fermata.core.estimate;

import java.util.Arrays;

/**
 * Amounts of work in steps of a fourth of a doubling, from half a second to a hundred years. They are fine enough for
 * decisions, and few enough to count in. Step 0 is everything shorter, the last one everything longer.
 */
final class AgeSteps {
    private static final int STEPS_PER_DOUBLING = 4;
    private static final int DOUBLINGS = 33;
    static final int STEPS = DOUBLINGS * STEPS_PER_DOUBLING + 2;
    private static final double FIRST_STEP_MILLIS = 468.75;
    /** Where each step begins; the end of the last is that much beyond its beginning. */
    private static final double[] BEGIN = new double[STEPS + 1];

    static {
        for (int step = 1; step <= STEPS; step++) {
            BEGIN[step] = FIRST_STEP_MILLIS * StrictMath.pow(2, (step - 1.0) / STEPS_PER_DOUBLING);
        }
    }

    private AgeSteps() {}

    static int stepOf(long workMillis) {
        int found = Arrays.binarySearch(BEGIN, (double) workMillis);
        return Math.min(STEPS - 1, found >= 0 ? found : -found - 2);
    }

    static double beginMillis(int step) {
        return BEGIN[step];
    }

    static double endMillis(int step) {
        return BEGIN[step + 1];
    }

    /** Where a job that ended within a step is taken to have ended. */
    static double middleMillis(int step) {
        return (BEGIN[step] + BEGIN[step + 1]) / 2;
    }
}
