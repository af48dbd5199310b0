package dev.fermata.core.model;

/**
 * How fast an attempt progresses: {@code micro} millionths of a reference-millisecond of work per millisecond, and the
 * share of that time spent waiting for the network.
 */
public record Speed(long micro, double communicationShare) {
    public static final long UNIT = 1_000_000;
    public static final Speed REFERENCE = new Speed(UNIT, 0);

    public Speed slowedBy(double slowdown) {
        return slowdown == 1.0
                ? this
                : new Speed(Math.max(1, Math.round(micro / slowdown)), communicationShare / slowdown);
    }

    /** Milliseconds that {@code workMicro} (millionths of reference-milliseconds) take at this speed, rounded up. */
    public long millisFor(long workMicro) {
        return (workMicro + micro - 1) / micro;
    }
}
