package dev.fermata.insight.replay;

import java.util.List;

/**
 * How the script of a job counts its steps.
 *
 * @param stepMillis duration of a step; 0 where unknown
 * @param attempts what its first attempts reported, and when
 */
record StepReporting(long stepMillis, List<AttemptReporting> attempts) {
    /**
     * How an attempt reports its remaining time.
     *
     * @param knownAfterMillis run time after which its reports have it
     * @param knownAtEndAfterMillis run time after which it is known at the end
     * @param estimateFactor ratio of the reported to the true time: a few steps do not represent all steps
     */
    record AttemptReporting(long knownAfterMillis, long knownAtEndAfterMillis, double estimateFactor) {}

    /** A script reports its first step, and then no step before this time has passed. */
    private static final long BETWEEN_REPORTS_MILLIS = 500;
    /** On average, until the engine looks at a report. */
    private static final long REPORT_DELAY_MILLIS = 250;

    private static final long DEFAULT_STEP_MILLIS = 100;

    StepReporting {
        attempts = List.copyOf(attempts);
    }

    /** The reporting of this attempt, counted from 1: as recorded, or typical. */
    AttemptReporting attemptReporting(int attempt) {
        return attempt <= attempts.size() ? attempts.get(attempt - 1) : typical(stepMillis);
    }

    /** Two of its steps must be reported and read; at its end it reports what it has counted. */
    static AttemptReporting typical(long stepMillis) {
        long step = stepMillis > 0 ? stepMillis : DEFAULT_STEP_MILLIS;
        long between = (BETWEEN_REPORTS_MILLIS + step - 1) / step * step;
        return new AttemptReporting(step + between + REPORT_DELAY_MILLIS, 2 * step, 1);
    }
}
