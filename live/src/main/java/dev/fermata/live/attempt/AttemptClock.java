package dev.fermata.live.attempt;

/** Time for the accounting of attempts, real or virtual. A task never runs on the thread that schedules it. */
public interface AttemptClock {
    long nowMillis();

    /** Runs a task after this time; the returned action cancels it. A failing task stops nothing else. */
    Runnable schedule(long millis, Runnable task);
}
