package dev.fermata.insight.replay;

/**
 * What the script of an attempt had reported by its end.
 *
 * @param steps in all; 0 when it counts none, or had not done the first
 * @param stepsLeft of them, those not done or not saved
 * @param stepMicros the usual duration of a step; 0 where unknown
 * @param knownMillis when its reports first had a remaining time; not positive when they never did
 */
record StepProgress(long steps, long stepsLeft, long stepMicros, long knownMillis) {
    static final StepProgress NONE = new StepProgress(0, 0, 0, 0);

    boolean reportsSteps() {
        return steps > 0;
    }

    /** Duration of this many of its steps, as far as it is known. */
    double millis(long count) {
        return count * stepMicros / 1000.0;
    }

    /** Whether the remaining work of the pending job is known after it. */
    boolean isKnownAtEnd() {
        return reportsSteps() && stepMicros > 0;
    }
}
