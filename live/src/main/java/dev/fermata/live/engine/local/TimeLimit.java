package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Launch;

/** How long an attempt may run, counted from the moment it is said to run; what earlier attempts ran counts, too. */
final class TimeLimit {
    private final Work work;
    private final long ranMillis;
    private final Runnable reached;
    private long limitMillis;
    private long begunMillis = -1;
    private boolean over;
    private Runnable callOff = () -> {};

    TimeLimit(Work work, Launch launch, Runnable reached) {
        this.work = work;
        this.ranMillis = launch.ranMillis();
        this.limitMillis = launch.spec().limitMillis();
        this.reached = reached;
    }

    synchronized long millis() {
        return limitMillis;
    }

    /** It runs since {@code millis}. */
    synchronized void begun(long millis) {
        begunMillis = millis;
        watch();
    }

    /** It may run for another time than it was launched with. */
    synchronized void change(long millis) {
        limitMillis = millis;
        if (begunMillis >= 0) {
            watch();
        }
    }

    private void watch() {
        callOff.run();
        if (limitMillis > 0 && !over) {
            long left = limitMillis - ranMillis - (System.currentTimeMillis() - begunMillis);
            callOff = work.timer(left, reached::run);
        }
    }

    /** Nothing of an attempt that is gone waits for its time any more. */
    synchronized void end() {
        over = true;
        callOff.run();
    }
}
