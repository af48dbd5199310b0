package dev.fermata.live.attempt;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time of the wall clock at the start of the daemon, continued by the monotonic timer. A wall clock that is set changes no
 * deadline and no duration.
 */
public final class SteadyClock {
    private final LongSupplier nanos;
    private final long startMillis;
    private final long startNanos;

    public SteadyClock() {
        this(System::currentTimeMillis, System::nanoTime);
    }

    SteadyClock(LongSupplier wallMillis, LongSupplier nanos) {
        this.nanos = nanos;
        this.startMillis = wallMillis.getAsLong();
        this.startNanos = nanos.getAsLong();
    }

    public long millis() {
        return startMillis + TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - startNanos);
    }

    /** Milliseconds from an arbitrary moment, for timeouts. */
    public static long elapsed() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
