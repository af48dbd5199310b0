package dev.fermata.live.attempt;

import dev.fermata.live.engine.Launch;

/** The run time limit of an attempt, counted from the moment it is reported as running; earlier attempts count too. */
final class TimeLimit {
    private final AttemptClock clock;
    private final long earlierRunMillis;
    private final Runnable onReached;
    private long limitMillis;
    private long startedMillis = -1;
    private boolean cancelled;
    private Runnable cancelTimer = () -> {};

    TimeLimit(AttemptClock clock, Launch launch, Runnable reached) {
        this.clock = clock;
        this.earlierRunMillis = launch.earlierRunMillis();
        this.limitMillis = launch.spec().limitMillis();
        this.onReached = reached;
    }

    synchronized long millis() {
        return limitMillis;
    }

    /** It runs since {@code millis}. */
    synchronized void start(long millis) {
        startedMillis = millis;
        schedule();
    }

    /** Changes the limit. */
    synchronized void change(long millis) {
        limitMillis = millis;
        if (startedMillis >= 0) {
            schedule();
        }
    }

    private void schedule() {
        cancelTimer.run();
        if (limitMillis > 0 && !cancelled) {
            long left = limitMillis - earlierRunMillis - (clock.nowMillis() - startedMillis);
            cancelTimer = clock.schedule(left, onReached);
        }
    }

    /** Cancels the timer of an ended attempt. */
    synchronized void cancel() {
        cancelled = true;
        cancelTimer.run();
    }
}
