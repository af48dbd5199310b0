package dev.fermata.live.attempt;

import java.util.function.BooleanSupplier;

/**
 * Looks for signs that an attempt can save its work: it reports, or one of its processes handles the signal. Handlers are set
 * late, so it looks again and again, less and less often, until it finds one. Not thread-safe.
 */
final class SaveAbility {
    private static final long FIRST_LOOK_MILLIS = 1_000;
    private static final long MAX_PAUSE_MILLIS = 60_000;

    private final BooleanSupplier reports;
    private final BooleanSupplier handlesSignal;
    private boolean shown;
    private long dueMillis = -1;
    private long pauseMillis = FIRST_LOOK_MILLIS;

    SaveAbility(BooleanSupplier reports, BooleanSupplier handlesSignal) {
        this.reports = reports;
        this.handlesSignal = handlesSignal;
    }

    boolean isShown() {
        return shown;
    }

    /** Looks if it is time for that; whether a sign was found just now. */
    boolean look(long nowMillis) {
        if (shown) {
            return false;
        }
        if (reports.getAsBoolean()) {
            shown = true;
            return true;
        }
        if (dueMillis < 0) {
            dueMillis = nowMillis + pauseMillis;
        }
        if (nowMillis >= dueMillis) {
            pauseMillis = Math.min(MAX_PAUSE_MILLIS, 2 * pauseMillis);
            dueMillis = nowMillis + pauseMillis;
            shown = handlesSignal.getAsBoolean();
        }
        return shown;
    }
}
