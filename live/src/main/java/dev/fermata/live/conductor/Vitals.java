package dev.fermata.live.conductor;

import dev.fermata.live.conductor.Pulse.Phase;

/** How the conductor is, written by its thread and read by all: nobody waits for anybody here. */
final class Vitals {
    private final boolean shadow;
    private final Inbox inbox;
    private volatile Phase phase = Phase.RECOVERING;
    private volatile String trouble = "";
    private volatile boolean waiting;
    /** When it last finished something; while it waits, when it wants to be woken. */
    private volatile long markNanos = System.nanoTime();

    private volatile long cycles;
    private volatile long lastSeq;
    private volatile int pending;
    private volatile int running;
    private volatile long restartMillis;

    Vitals(boolean shadow, Inbox inbox) {
        this.shadow = shadow;
        this.inbox = inbox;
    }

    Phase phase() {
        return phase;
    }

    String trouble() {
        return trouble;
    }

    void enter(Phase next, String why) {
        trouble = why;
        phase = next;
    }

    void restarted(long millis) {
        restartMillis = millis;
    }

    /** Nothing to do before this many milliseconds are over, unless there is news. */
    void waiting(long millis) {
        long far = Long.MAX_VALUE / 4;
        markNanos = System.nanoTime() + (millis > far / 1_000_000 ? far : millis * 1_000_000);
        waiting = true;
    }

    void working() {
        markNanos = System.nanoTime();
        waiting = false;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    void cycled(long seq, Roster roster) {
        cycles++;
        lastSeq = seq;
        pending = roster.pending();
        running = roster.onGpus();
        markNanos = System.nanoTime();
    }

    private long ageMillis() {
        return phase == Phase.STOPPED || phase == Phase.STANDBY
                ? 0
                : Math.max(0, (System.nanoTime() - markNanos) / 1_000_000);
    }

    boolean waits() {
        return waiting;
    }

    Pulse pulse() {
        return new Pulse(
                phase, ageMillis(), cycles, lastSeq, inbox.size(), pending, running, restartMillis, shadow, trouble);
    }
}
