package dev.fermata.live.conductor;

import java.util.function.LongSupplier;

/**
 * The wall clock, but it never goes back: when the wall clock is set back, time goes on from where it was at its own speed until the
 * wall clock has caught up. One thread reads it.
 */
public final class SteadyClock {
    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private long lastMillis = Long.MIN_VALUE;
    private long lastNanos;

    public SteadyClock() {
        this(System::currentTimeMillis, System::nanoTime);
    }

    SteadyClock(LongSupplier wallMillis, LongSupplier nanos) {
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

    /** What was recorded before this daemon began is in the past, whatever the wall clock says. */
    void notBefore(long millis) {
        if (lastMillis < millis) {
            lastMillis = millis;
            lastNanos = nanos.getAsLong();
        }
    }
}
