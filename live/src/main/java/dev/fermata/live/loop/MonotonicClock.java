package dev.fermata.live.loop;

import java.util.function.LongSupplier;

/**
 * A wall clock that never goes back. When the wall clock is set back, time continues by the monotonic timer until the
 * wall clock has caught up. Only one thread reads it.
 */
public final class MonotonicClock {
    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private long lastMillis = Long.MIN_VALUE;
    private long lastNanos;

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
        if (wall >= lastMillis) {
            lastMillis = wall;
            lastNanos = tick;
        } else {
            long passed = Math.max(0, (tick - lastNanos) / 1_000_000);
            lastMillis += passed;
            lastNanos += passed * 1_000_000;
        }
        return lastMillis;
    }

    /** The monotonic timer, for durations; safe from any thread. */
    long nanos() {
        return nanos.getAsLong();
    }

    /** Moves the clock past the recorded history, even if the wall clock is behind it. */
    void advanceTo(long millis) {
        if (lastMillis < millis) {
            lastMillis = millis;
            lastNanos = nanos.getAsLong();
        }
    }
}
