package dev.fermata.live.loop;

import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A wall clock that never goes back and believes no sudden step. When the wall clock is set, time continues by the monotonic
 * timer: until the wall clock has caught up if it was set back, and for ten minutes if it was set ahead by more than a minute. A
 * clock that was ahead by mistake for less than that leaves no trace; otherwise all times would stay ahead. Only one thread reads it.
 */
public final class MonotonicClock {
    private static final Logger LOG = LoggerFactory.getLogger(MonotonicClock.class);
    private static final long MAX_DRIFT_MILLIS = 60_000;
    static final long CONFIRM_MILLIS = 600_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private long lastMillis = Long.MIN_VALUE;
    private long lastNanos;
    /** Where the recorded history ends; no time is before it. */
    private long floorMillis = Long.MIN_VALUE;

    /** By how much the wall clock is ahead, and since when; 0 while it is not. */
    private long stepMillis;

    private long stepNanos;

    public MonotonicClock() {
        this(System::currentTimeMillis, System::nanoTime);
    }

    public MonotonicClock(LongSupplier wallMillis, LongSupplier nanos) {
        this.wallMillis = wallMillis;
        this.nanos = nanos;
    }

    public long read() {
        long wall = wallMillis.getAsLong();
        long tick = nanos.getAsLong();
        long passed = Math.max(0, (tick - lastNanos) / NANOS_PER_MILLI);
        if (lastMillis == Long.MIN_VALUE) {
            // The daemon may have been away for long: nothing tells how far the wall clock may have gone.
            lastMillis = floorMillis == Long.MIN_VALUE ? wall : Math.max(wall, floorMillis + passed);
            lastNanos = tick;
        } else if (isBelievable(wall - lastMillis - passed, tick) && wall >= lastMillis) {
            lastMillis = wall;
            lastNanos = tick;
        } else {
            lastMillis += passed;
            lastNanos += passed * NANOS_PER_MILLI;
        }
        return lastMillis;
    }

    private boolean isBelievable(long aheadMillis, long tick) {
        if (aheadMillis <= MAX_DRIFT_MILLIS) {
            stepMillis = 0;
            return true;
        }
        if (Math.abs(aheadMillis - stepMillis) > MAX_DRIFT_MILLIS) {
            stepMillis = aheadMillis;
            stepNanos = tick;
            LOG.warn(
                    "wall clock was set ahead by {} s; it is followed if it stays so for {} s",
                    aheadMillis / 1000,
                    CONFIRM_MILLIS / 1000);
        }
        boolean confirmed = tick - stepNanos >= CONFIRM_MILLIS * NANOS_PER_MILLI;
        stepMillis = confirmed ? 0 : stepMillis;
        return confirmed;
    }

    /** The monotonic timer, for durations; safe from any thread. */
    long nanos() {
        return nanos.getAsLong();
    }

    /** Moves the clock past the recorded history, even if the wall clock is behind it. */
    void advanceTo(long millis) {
        if (lastMillis == Long.MIN_VALUE ? floorMillis < millis : lastMillis < millis) {
            floorMillis = millis;
            lastMillis = lastMillis == Long.MIN_VALUE ? lastMillis : millis;
            lastNanos = nanos.getAsLong();
        }
    }
}
