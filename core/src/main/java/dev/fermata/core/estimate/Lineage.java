package dev.fermata.core.estimate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kinds that some jobs belong to, the most general first, and what was last concluded from them. */
final class Lineage {
    /** Jobs of other models say nothing about a job before so many of them ended: one that was over in a blink is no rule. */
    private static final int FEW = 10;

    /** A conclusion holds until the number of ended jobs of the most specific kind has grown by this share. */
    private static final int FRESH = 8;

    private final Survival[] kinds;
    private @Nullable Forecast forecast;
    private long forecastVersion;
    private int forecastJobs;

    Lineage(Survival[] kinds) {
        this.kinds = kinds;
    }

    /** How many jobs ended of the kind at this depth. */
    int jobs(int depth) {
        return kinds[depth].jobs();
    }

    /** A job passed all ages from one step up to another. */
    void passed(int fromStep, int toStep) {
        for (Survival kind : kinds) {
            kind.passed(fromStep, toStep);
        }
    }

    /** A job ended in this step; how well that was foretold says how far each kind is to be trusted. */
    void end(int step, Trust[] trust) {
        double above = Forecast.unknown(step);
        boolean[] tells = telling();
        for (int depth = 0; depth < kinds.length; depth++) {
            if (tells[depth]) {
                Survival kind = kinds[depth];
                double chance = trust[depth].chance(kind.ended(step), kind.jobs(), above);
                trust[depth].learn(kind.ended(step), kind.jobs(), above);
                above = chance;
            }
        }
        for (Survival kind : kinds) {
            kind.end(step);
        }
    }

    /** What is to be expected now; concluded anew with every version, and when there is news enough. */
    Forecast forecast(long version, Trust[] trust) {
        Forecast known = glimpse(version, trust);
        if (known != forecast) {
            forecast = known;
            forecastVersion = version;
            forecastJobs = kinds[kinds.length - 1].jobs();
        }
        return known;
    }

    /** The same for somebody who only looks: when conclusions are drawn is up to those who decide. */
    Forecast glimpse(long version, Trust[] trust) {
        int jobs = kinds[kinds.length - 1].jobs();
        Forecast known = forecast;
        if (known != null && version == forecastVersion && jobs <= forecastJobs + forecastJobs / FRESH) {
            return known;
        }
        List<Forecast.Source> sources = new ArrayList<>(kinds.length);
        boolean[] tells = telling();
        for (int depth = 0; depth < kinds.length; depth++) {
            if (tells[depth]) {
                sources.add(new Forecast.Source(kinds[depth], trust[depth].weight()));
            }
        }
        return new Forecast(sources);
    }

    /** Which kinds saw enough jobs end, and not the same as one above that tells already: they would only repeat that. */
    private boolean[] telling() {
        boolean[] tells = new boolean[kinds.length];
        int told = 0;
        for (int depth = 0; depth < kinds.length; depth++) {
            int jobs = kinds[depth].jobs();
            tells[depth] = jobs != told && jobs >= (depth < Kinds.MODEL_DEPTH ? FEW : 1);
            told = tells[depth] ? jobs : told;
        }
        return tells;
    }
}
