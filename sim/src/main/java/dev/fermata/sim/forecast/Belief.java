package dev.fermata.sim.forecast;

import dev.fermata.core.contract.Outlook;
import dev.fermata.core.model.Costs;
import org.jspecify.annotations.Nullable;

/**
 * What is believed of one live job when a forecast is made.
 *
 * @param doneMillis work it has done by then, of all attempts
 * @param remainingMillis work that its scheduler thinks is left
 * @param outlook what the estimator knows beyond that number; null when it stands by the number
 * @param sigma without an outlook: standard deviation of the logarithm of what is really left against that number; 0 for certain
 * @param costs what pausing and loading it takes
 */
public record Belief(
        long doneMillis, long remainingMillis, @Nullable Outlook outlook, double sigma, Costs costs) {
    public Belief {
        if (remainingMillis < 1 || doneMillis < 0 || !(sigma >= 0)) {
            throw new IllegalArgumentException("a belief needs work left (" + remainingMillis
                    + " ms, at least 1), work done (" + doneMillis + " ms) and a spread (" + sigma + ") of 0 or more");
        }
    }

    /** A job of which all is known. */
    public static Belief certain(long doneMillis, long remainingMillis, Costs costs) {
        return new Belief(doneMillis, remainingMillis, null, 0, costs);
    }

    /** The work it needs in all in the future that has this place between the shortest (0) and the longest (1) thought possible. */
    long wholeMillis(double place) {
        if (outlook != null) {
            return outlook.wholeMillis(doneMillis, place);
        }
        double left = sigma == 0 ? remainingMillis : remainingMillis * StrictMath.exp(sigma * Futures.deviation(place));
        return doneMillis + Math.max(1, Math.round(Math.min(left, Futures.LONGEST_MILLIS)));
    }
}
