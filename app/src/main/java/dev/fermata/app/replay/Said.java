package dev.fermata.app.replay;

/**
 * What the script of an attempt had said of itself when it left.
 *
 * @param steps that it has in all; 0 when it counts none, or had not come to the first
 * @param stepsLeft of them, those that it had not done, or not saved
 * @param stepMicros what a step usually took; 0 where nobody knows
 * @param knownMillis when its reports first said how long it would take; not positive when they never did
 */
record Said(long steps, long stepsLeft, long stepMicros, long knownMillis) {
    static final Said NOTHING = new Said(0, 0, 0, 0);

    boolean counted() {
        return steps > 0;
    }

    /** How long so many of its steps take, as far as it knows. */
    double millis(long count) {
        return count * stepMicros / 1000.0;
    }

    /** Whether whoever waits again after it is known to have so much left. */
    boolean toldInLeaving() {
        return counted() && stepMicros > 0;
    }
}
