package dev.fermata.core.prediction;

import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.model.Costs;
import org.jspecify.annotations.Nullable;

/**
 * The estimate of one live job at the time of a prediction. All work is in milliseconds on the reference GPU.
 *
 * @param doneMillis work it has done by then, of all attempts
 * @param remainingMillis the scheduler's estimate of the work left: as likely more as less
 * @param p10Millis less is left with a chance of one in ten
 * @param p90Millis more is left with a chance of one in ten
 * @param runtimeEstimate the estimator's distribution; null when it has one number only. The true run time is drawn
 *     from it, unless it is certain: scripts that count their steps err too, by as much as such estimates did before
 * @param costs of preempting and loading it
 */
public record WorkEstimate(
        long doneMillis,
        long remainingMillis,
        long p10Millis,
        long p90Millis,
        @Nullable RuntimeEstimate runtimeEstimate,
        Costs costs) {
    void check() {
        if (doneMillis < 0 || p10Millis < 1 || remainingMillis < p10Millis || p90Millis < remainingMillis) {
            throw new IllegalArgumentException("work done (" + doneMillis
                    + " ms) must not be negative, and what is left must be at least 1 ms and in order: " + p10Millis
                    + ", " + remainingMillis + ", " + p90Millis + " ms");
        }
    }

    /** Whether the estimate is one number. */
    public boolean isPointEstimate() {
        return runtimeEstimate == null || runtimeEstimate.isCertain();
    }

    /** A job whose work is known exactly. */
    public static WorkEstimate exact(long doneMillis, long remainingMillis, Costs costs) {
        return new WorkEstimate(doneMillis, remainingMillis, remainingMillis, remainingMillis, null, costs);
    }
}
