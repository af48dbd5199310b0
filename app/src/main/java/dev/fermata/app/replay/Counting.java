package dev.fermata.app.replay;

import java.util.List;

/**
 * How the script of a job counts its steps.
 *
 * @param stepMillis what a step takes; 0 where nobody knows
 * @param attempts what its first attempts told, and when
 */
record Counting(long stepMillis, List<Telling> attempts) {
    /**
     * What an attempt tells of how long it takes.
     *
     * @param knownAfterMillis after how much running its reports say it
     * @param toldAfterMillis after how much running it is known when it leaves
     * @param believed how many times as long as it really takes it is then thought to take: a few steps are not all steps
     */
    record Telling(long knownAfterMillis, long toldAfterMillis, double believed) {}

    /** A script reports its first step, and then no step before this time has passed. */
    private static final long BETWEEN_REPORTS_MILLIS = 500;
    /** On average, until the engine looks at a report. */
    private static final long UNTIL_SEEN_MILLIS = 250;

    private static final long USUAL_STEP_MILLIS = 100;

    Counting {
        attempts = List.copyOf(attempts);
    }

    /** What this attempt, counted from 1, tells: as it did, or as attempts do. */
    Telling telling(int attempt) {
        return attempt <= attempts.size() ? attempts.get(attempt - 1) : usual(stepMillis);
    }

    /** Two of its steps are to be reported and seen; in leaving it says what it has counted. */
    static Telling usual(long stepMillis) {
        long step = stepMillis > 0 ? stepMillis : USUAL_STEP_MILLIS;
        long between = (BETWEEN_REPORTS_MILLIS + step - 1) / step * step;
        return new Telling(step + between + UNTIL_SEEN_MILLIS, 2 * step, 1);
    }
}
