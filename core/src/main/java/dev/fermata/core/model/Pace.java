package dev.fermata.core.model;

/**
 * How fast an attempt progresses: {@code micro} millionths of a reference-millisecond of work per millisecond, and the
 * share of that time spent waiting for the network.
 */
public record Pace(long micro, double communicationShare) {
    public static final long UNIT = 1_000_000;
    public static final Pace REFERENCE = new Pace(UNIT, 0);

    public Pace slowedBy(double stretch) {
        return stretch == 1.0 ? this : new Pace(Math.max(1, Math.round(micro / stretch)), communicationShare / stretch);
    }

    /** Milliseconds that {@code workMicro} (millionths of reference-milliseconds) take at this pace, rounded up. */
    public long millisFor(long workMicro) {
        return (workMicro + micro - 1) / micro;
    }
}
