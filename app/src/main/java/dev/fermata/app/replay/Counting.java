package dev.fermata.app.replay;

import java.util.List;

/**
 * How the script of a job counts its steps.
 *
 * @param stepMillis what a step takes; 0 where nobody knows
 * @param knownAfter of its first attempts, after how much running its reports said how long it would take
 */
record Counting(long stepMillis, List<Long> knownAfter) {
    /** A script reports its first step, and then no step before this time has passed. */
    private static final long BETWEEN_REPORTS_MILLIS = 500;
    /** On average, until the engine looks at a report. */
    private static final long UNTIL_SEEN_MILLIS = 250;

    private static final long USUAL_STEP_MILLIS = 100;

    Counting {
        knownAfter = List.copyOf(knownAfter);
    }

    private long step() {
        return stepMillis > 0 ? stepMillis : USUAL_STEP_MILLIS;
    }

    /** When an attempt, counted from 1, has run so long, two of its steps have been reported and seen. */
    long knownAfterMillis(int attempt) {
        if (attempt <= knownAfter.size()) {
            return knownAfter.get(attempt - 1);
        }
        long between = (BETWEEN_REPORTS_MILLIS + step() - 1) / step() * step();
        return step() + between + UNTIL_SEEN_MILLIS;
    }

    /** Whoever is paused after so long says in leaving what is left. */
    long toldInLeavingMillis() {
        return 2 * step();
    }
}
