package dev.fermata.sim.experiment;

import java.util.Arrays;

/** How wrong the estimates were that policies decided on, over all jobs when they were submitted. */
final class EstimateError {
    private double[] errors = new double[1024];
    private int jobs;

    /** A job was submitted that was expected to need this much and truly needs that much. */
    void add(long expectedMillis, long trueMillis) {
        if (jobs == errors.length) {
            errors = Arrays.copyOf(errors, 2 * jobs);
        }
        errors[jobs++] = Math.abs(StrictMath.log((double) expectedMillis / trueMillis));
    }

    /** The median of the absolute difference of the logarithms: ln 2 where half of all were off by more than a factor of 2. */
    double median() {
        Arrays.sort(errors, 0, jobs);
        return jobs == 0 ? 0 : (errors[(jobs - 1) / 2] + errors[jobs / 2]) / 2;
    }
}
