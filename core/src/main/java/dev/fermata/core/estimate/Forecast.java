package dev.fermata.core.estimate;

import dev.fermata.core.contract.Outlook;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How likely a job is to end at which age, judged from several kinds it belongs to, the most general first.
 *
 * <p>Each kind is believed as far as it was seen: its counts are joined by imaginary jobs, {@link Source#weight} of them, that behave
 * like the kind above it (a Dirichlet process centred on it, with censored jobs as in the beta-Stacy process). Above the most
 * general stands what is assumed of jobs nobody knows: half of those who have run for t run on for another
 * t + {@code UNKNOWN_MILLIS}. So few observations change little, many decide, and where nothing was seen the chance of an
 * end sinks with age: the best order is then least attained service first.
 */
final class Forecast {
    /** However old a job is, the kind above counts for as much as this many jobs. */
    private static final double LEAST_WEIGHT = 1;

    static final double UNKNOWN_MILLIS = 3_600_000;

    /** Chance of ending in each step for whoever reached it. */
    private final double[] hazard = new double[Ages.STEPS];

    /** Drawn up when somebody asks; whoever asks at the same time draws up the same. */
    private final @Nullable Prospect[] prospects = new @Nullable Prospect[Ages.STEPS];

    /** A kind, and how many imaginary jobs stand for the kind above it. */
    record Source(Survival kind, double weight) {}

    /** @param kinds from the most general to the most specific */
    Forecast(List<Source> kinds) {
        double[] reached = new double[kinds.size() + 1];
        Arrays.fill(reached, 1);
        for (int step = 0; step < Ages.STEPS; step++) {
            double chance = 1 - unknownAlive(Ages.endMillis(step)) / unknownAlive(Ages.beginMillis(step));
            reached[0] *= 1 - chance;
            double above = reached[0] / (1 - chance);
            for (int k = 0; k < kinds.size(); k++) {
                Survival kind = kinds.get(k).kind();
                double weight = Math.max(LEAST_WEIGHT, kinds.get(k).weight() * above);
                chance = (kind.ended(step) + weight * chance) / (kind.seen(step) + weight);
                above = reached[k + 1];
                reached[k + 1] *= 1 - chance;
            }
            hazard[step] = chance;
        }
    }

    /** The chance that a job of which nothing is known runs longer. */
    private static double unknownAlive(double millis) {
        return UNKNOWN_MILLIS / (UNKNOWN_MILLIS + millis);
    }

    /** The chance that a job of which nothing is known ends in this step. */
    static double unknown(int step) {
        return unknownAlive(Ages.beginMillis(step)) - unknownAlive(Ages.endMillis(step));
    }

    /** What is to be expected of a job that reached this step. */
    Prospect prospect(int step) {
        Prospect known = prospects[step];
        if (known == null) {
            known = Prospect.of(this, step);
            prospects[step] = known;
        }
        return known;
    }

    /** The work that a job which reached this step needs in all, with this chance of needing less. */
    double quantileMillis(int step, double chance) {
        return quantilesMillis(step, chance)[0];
    }

    /** The same for several chances, the smallest first. */
    double[] quantilesMillis(int step, double... chances) {
        double[] found = new double[chances.length];
        int k = 0;
        double alive = 1;
        for (int s = step; s < Ages.STEPS && k < found.length; s++) {
            double next = alive * (1 - hazard[s]);
            for (; k < found.length && next <= 1 - chances[k]; k++) {
                double share = (alive - (1 - chances[k])) / (alive - next);
                found[k] = Ages.beginMillis(s) + share * (Ages.endMillis(s) - Ages.beginMillis(s));
            }
            alive = next;
        }
        Arrays.fill(found, k, found.length, Ages.endMillis(Ages.STEPS - 1));
        return found;
    }

    /** The same for a job that has done this much work: within its step, ends are spread evenly. */
    double quantileMillis(double doneMillis, double chance) {
        int step = Ages.stepOf((long) doneMillis);
        double begin = Ages.beginMillis(step);
        double share = Math.min(1, (doneMillis - begin) / (Ages.endMillis(step) - begin));
        double missed = hazard[step] * share;
        return quantileMillis(step, missed + chance * (1 - missed));
    }

    /** What a job that reached this step needs in all, on average. */
    double meanMillis(int step) {
        double alive = 1;
        double mean = 0;
        for (int s = step; s < Ages.STEPS; s++) {
            mean += alive * hazard[s] * Ages.middleMillis(s);
            alive *= 1 - hazard[s];
        }
        return mean + alive * Ages.endMillis(Ages.STEPS - 1);
    }

    /** The stint from the beginning of this step on that gains most, or loses least, where a completion is worth this much work. */
    Outlook.Stint stint(int step, double worthMillis) {
        double age = Ages.beginMillis(step);
        double alive = 1;
        double spent = 0;
        double most = Double.NEGATIVE_INFINITY;
        Outlook.Stint best = new Outlook.Stint(0, 0);
        for (int s = step; s < Ages.STEPS; s++) {
            double next = alive * (1 - hazard[s]);
            spent += (alive - next) * (Ages.middleMillis(s) - age);
            alive = next;
            double work = spent + alive * (Ages.endMillis(s) - age);
            double gain = worthMillis * (1 - alive) - work;
            if (gain > most) {
                most = gain;
                best = new Outlook.Stint(1 - alive, work);
            }
        }
        return best;
    }

    /** Least expected work per completion, over all horizons, of a job at the beginning of this step. */
    double workPerEndMillis(int step) {
        double age = Ages.beginMillis(step);
        double alive = 1;
        double spent = 0;
        double best = Double.POSITIVE_INFINITY;
        for (int s = step; s < Ages.STEPS; s++) {
            double next = alive * (1 - hazard[s]);
            spent += (alive - next) * (Ages.middleMillis(s) - age);
            alive = next;
            best = Math.min(best, (spent + alive * (Ages.endMillis(s) - age)) / (1 - alive));
        }
        return best;
    }
}
