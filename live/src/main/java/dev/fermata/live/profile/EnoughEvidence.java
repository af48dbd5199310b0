package dev.fermata.live.profile;

/** Whether an attempt ran long enough, or did enough steps, to represent its profile key. */
public final class EnoughEvidence {
    public static final long MIN_MILLIS = 60_000;
    public static final long MIN_STEPS = 10;

    private EnoughEvidence() {}

    public static boolean isGiven(long workedMillis, long steps) {
        return workedMillis >= MIN_MILLIS || steps >= MIN_STEPS;
    }
}
