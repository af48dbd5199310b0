package dev.fermata.live.progress;

/** One counter of a program's output: a bar, or the steps of a loop. It knows how often it began again. */
final class Counter {
    /** A counter that falls below this share of what it had has begun again. */
    private static final double RESTART_SHARE = 0.5;
    /** Processes that are late still print the end of the last round for this long after a restart. */
    private static final long LATE_MILLIS = 5_000;

    final ProgressLine.Scope scope;
    /** The number of counters seen before it. */
    final int order;

    long current;
    long total;
    double epoch = -1;
    int restarts;
    /** How often its value changed, to find the outer of two nested bars. */
    int changes;

    /** The number of the line that changed it last. */
    long changedBy;

    /** Times by units of the run. */
    final UnitTimes times = new UnitTimes();

    /** The totals that the stated times to the end come to. */
    final EtaTotals etaTotals = new EtaTotals();

    private long restartedMillis = Long.MIN_VALUE / 2;

    Counter(ProgressLine first, double epochNumber, int order, long line) {
        this.scope = first.scope();
        this.order = order;
        this.epoch = epochNumber;
        this.changedBy = line;
        this.current = first.current();
        this.total = first.total();
    }

    /**
     * @param number of the line among all lines
     * @param epochNumber the number of the epoch that the line is about, -1 for unknown
     */
    void update(ProgressLine line, double epochNumber, long number, long nowMillis) {
        total = line.total() > 0 ? line.total() : total;
        if (epochNumber > epoch) {
            epoch = epochNumber;
            set(line.current(), number);
        } else if (epochNumber >= 0 && epochNumber < epoch) {
            return; // a slower process
        } else if (line.current() < current * RESTART_SHARE) {
            // early in a round, a process that is behind by little has a much smaller number
            if (epochNumber < 0 && current >= total * RESTART_SHARE) {
                restarts++;
                restartedMillis = nowMillis;
                set(line.current(), number);
            }
        } else if (line.current() > current && !isLate(line, nowMillis)) {
            set(line.current(), number);
        }
    }

    private boolean isLate(ProgressLine line, long nowMillis) {
        return nowMillis - restartedMillis < LATE_MILLIS && total > 0 && line.current() - current > total / 2;
    }

    private void set(long value, long number) {
        changes += value == current ? 0 : 1;
        changedBy = number;
        current = value;
    }

    boolean isComplete() {
        return total > 0 && current >= total;
    }

    /** Its progress within one round, from 0 to 1. */
    double share() {
        return total <= 0 ? 0 : Math.min(1, current / (double) total);
    }
}
