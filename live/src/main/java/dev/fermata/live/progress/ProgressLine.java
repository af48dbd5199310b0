package dev.fermata.live.progress;

/**
 * What one line of output says about progress. It says nothing about other lines.
 *
 * @param counter what is counted: lines with the same name belong together
 * @param current units done, of {@code total}; a fraction of a unit is dropped
 * @param total units in all, 0 for unknown
 * @param etaMillis the time to the end of the run as the line states it; -1 for none
 */
record ProgressLine(String counter, Scope scope, long current, long total, EpochCount epoch, long etaMillis) {
    /** What the total of a line covers. */
    enum Scope {
        /** The run. */
        RUN,
        /** One epoch of the run. */
        EPOCH,
        /** The line is about epochs only: it begins or ends one. */
        EPOCHS,
        /** Some loop: of the run, of an epoch, or of something else. */
        LOOP,
        /** The line states the length of the run, and nothing is done. */
        LENGTH
    }

    /** Whether the first epoch of a program is 0 or 1. */
    enum EpochBase {
        ZERO,
        ONE,
        UNKNOWN
    }

    /**
     * @param number of the epoch, -1 for unknown
     * @param count epochs in all, 0 for unknown
     * @param done whether the epoch with this number is over
     */
    record EpochCount(double number, long count, EpochBase base, boolean done) {
        static final EpochCount NONE = new EpochCount(-1, 0, EpochBase.UNKNOWN, false);

        static EpochCount of(long number, long count, EpochBase base) {
            return new EpochCount(number, count, base, false);
        }
    }

    static ProgressLine run(String counter, long current, long total) {
        return new ProgressLine(counter, Scope.RUN, current, total, EpochCount.NONE, -1);
    }

    static ProgressLine loop(String counter, long current, long total) {
        return new ProgressLine(counter, Scope.LOOP, current, total, EpochCount.NONE, -1);
    }

    static ProgressLine inEpoch(String counter, EpochCount epoch, long current, long total) {
        return new ProgressLine(counter, Scope.EPOCH, current, total, epoch, -1);
    }

    static ProgressLine epochs(EpochCount epoch) {
        return new ProgressLine("epochs", Scope.EPOCHS, 0, 0, epoch, -1);
    }

    static ProgressLine length(long steps, long epochs) {
        return new ProgressLine(
                "length", Scope.LENGTH, 0, steps, new EpochCount(-1, epochs, EpochBase.UNKNOWN, false), -1);
    }

    ProgressLine withEta(long millis) {
        return new ProgressLine(counter, scope, current, total, epoch, millis);
    }
}
