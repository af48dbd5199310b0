package dev.fermata.live.learn;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;

/**
 * What is believed of a kind of job: measured where it was, assumed where not.
 *
 * @param costs what pausing and loading it takes
 * @param saves whether it keeps its work when it is paused; taken for granted until it was seen not to
 * @param pauseBasis where the pause comes from
 * @param loadBasis where the load comes from
 * @param pause how far apart the measured pauses were; none when they are assumed
 * @param load the same of loads
 * @param profile how it trains; {@link Profile#UNKNOWN} under the kind's name while nobody knows
 * @param peakMemoryMib the most memory it was seen to hold on one GPU, 0 when unknown
 * @param checkpointMillis how often it saves by itself, 0 when it does not or nobody knows
 */
public record Knowledge(
        Costs costs,
        boolean saves,
        Basis pauseBasis,
        Basis loadBasis,
        Spread pause,
        Spread load,
        Profile profile,
        int peakMemoryMib,
        long checkpointMillis) {

    /** Where a figure comes from, the best first. */
    public enum Basis {
        /** This very kind. */
        KIND,
        /** The same command and model on other GPUs, or on another number of them. */
        ALIKE,
        /** Assumed: nobody has measured anything like it. */
        PRIOR
    }

    /** Nothing but an assumption. */
    public static Knowledge assumed(Costs costs) {
        return new Knowledge(costs, true, Basis.PRIOR, Basis.PRIOR, Spread.NONE, Spread.NONE, Profile.UNKNOWN, 0, 0);
    }

    /** The same of a kind that trains otherwise than was thought. */
    public Knowledge training(Profile other) {
        return new Knowledge(costs, saves, pauseBasis, loadBasis, pause, load, other, peakMemoryMib, checkpointMillis);
    }

    public boolean measured() {
        return pauseBasis != Basis.PRIOR || loadBasis != Basis.PRIOR;
    }

    /** How long such jobs load at most, by what their scripts said; 0 where none has said anything. */
    public long loadsMillis() {
        return load.count() == 0 ? 0 : Math.max(costs.reloadMillis(), load.p90());
    }
}
