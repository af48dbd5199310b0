package dev.fermata.live.learn;

/** When an attempt has shown enough of itself to speak for its kind: it came to its end, worked for a while, or did some steps. */
public final class Telling {
    public static final long MILLIS = 60_000;
    public static final long STEPS = 10;

    private Telling() {}

    public static boolean by(long workedMillis, long steps) {
        return workedMillis >= MILLIS || steps >= STEPS;
    }
}
