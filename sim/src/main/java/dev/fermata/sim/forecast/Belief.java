package dev.fermata.sim.forecast;

import dev.fermata.core.contract.Outlook;
import dev.fermata.core.model.Costs;
import org.jspecify.annotations.Nullable;

/**
 * What is believed of one live job when a forecast is made. All work is in milliseconds on the reference GPU.
 *
 * @param doneMillis work it has done by then, of all attempts
 * @param remainingMillis work that its scheduler thinks is left: as likely more as less
 * @param p10Millis less is left with a chance of one in ten
 * @param p90Millis more is left with a chance of one in ten
 * @param outlook what the estimator knows beyond that; null when it stands by its number. How long it really takes is drawn from it,
 *     but not where it is certain: scripts that count their steps err too, by as much as such estimates did before
 * @param costs what pausing and loading it takes
 */
public record Belief(
        long doneMillis,
        long remainingMillis,
        long p10Millis,
        long p90Millis,
        @Nullable Outlook outlook,
        Costs costs) {
    /** Standard deviations between the median of a normal variable and its ninth decile. */
    private static final double DECILE = 1.2815515655446004;

    public Belief {
        if (doneMillis < 0 || p10Millis < 1 || remainingMillis < p10Millis || p90Millis < remainingMillis) {
            throw new IllegalArgumentException("work done (" + doneMillis
                    + " ms) must not be negative, and what is left must be at least 1 ms and in order: " + p10Millis
                    + ", " + remainingMillis + ", " + p90Millis + " ms");
        }
    }

    /** Whether one number is all that is expected of it. */
    boolean isNumber() {
        return outlook == null || outlook.certain();
    }

    /** A job of which all is known. */
    public static Belief certain(long doneMillis, long remainingMillis, Costs costs) {
        return new Belief(doneMillis, remainingMillis, remainingMillis, remainingMillis, null, costs);
    }

    /**
     * The work it needs in all in the future that has this place between the shortest (0) and the longest (1) thought possible:
     * as the outlook says, else log-normal on each side of the median.
     */
    long wholeMillis(double place) {
        if (outlook != null && !isNumber()) {
            return outlook.wholeMillis(doneMillis, place);
        }
        double deviation = Futures.deviation(place) / DECILE;
        double decile = (double) (deviation < 0 ? p10Millis : p90Millis) / remainingMillis;
        double left = remainingMillis * StrictMath.pow(decile, Math.abs(deviation));
        return doneMillis + Math.max(1, Math.round(Math.min(left, Futures.LONGEST_MILLIS)));
    }
}
