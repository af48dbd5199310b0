package dev.fermata.live.health;

import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.health.HealthStatus.LoopProgress;
import dev.fermata.live.health.HealthStatus.QueueLengths;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** The health of the scheduler loop. Its thread writes, all threads read; no method blocks. */
public final class HealthRecorder {
    private final boolean shadow;
    private final IntSupplier queuedRequests;
    private final LongSupplier nanos;
    private volatile DaemonPhase phase = DaemonPhase.RECOVERING;
    private volatile String problem = "";
    private volatile String engineProblem = "";
    private volatile boolean waiting;
    /** When it last made progress; while it waits, when it is due to wake. */
    private volatile long lastProgressNanos;

    private volatile long cycles;
    private volatile long lastSeq;
    private volatile int pending;
    private volatile int running;
    private volatile long recoveryMillis;

    /**
     * @param queuedRequests the number of requests and engine events in the inbox; safe from any thread
     * @param nanos the monotonic timer; safe from any thread
     */
    public HealthRecorder(boolean shadow, IntSupplier queuedRequests, LongSupplier nanos) {
        this.shadow = shadow;
        this.queuedRequests = queuedRequests;
        this.nanos = nanos;
        this.lastProgressNanos = nanos.getAsLong();
    }

    public DaemonPhase phase() {
        return phase == DaemonPhase.LEADING && !engineProblem.isEmpty() ? DaemonPhase.ENGINE_UNREACHABLE : phase;
    }

    public String problem() {
        String cause = engineProblem;
        return phase() == DaemonPhase.ENGINE_UNREACHABLE ? "the engine cannot be reached: " + cause : problem;
    }

    /** Why the engine cannot be reached; empty while it can. */
    public void recordEngine(String why) {
        engineProblem = why;
    }

    public void enter(DaemonPhase next, String why) {
        problem = why;
        phase = next;
    }

    public void recordRecovery(long millis) {
        recoveryMillis = millis;
    }

    /** The loop waits for this long, unless a request or an engine event arrives. */
    public void recordWait(long millis) {
        long far = Long.MAX_VALUE / 4;
        lastProgressNanos = nanos.getAsLong() + (millis > far / 1_000_000 ? far : millis * 1_000_000);
        waiting = true;
    }

    public void recordProgress() {
        lastProgressNanos = nanos.getAsLong();
        waiting = false;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    public void recordCycle(long seq, int pendingJobs, int jobsOnGpus) {
        cycles++;
        lastSeq = seq;
        pending = pendingJobs;
        running = jobsOnGpus;
        lastProgressNanos = nanos.getAsLong();
    }

    private long ageMillis() {
        return phase == DaemonPhase.STOPPED || phase == DaemonPhase.STANDBY
                ? 0
                : Math.max(0, (nanos.getAsLong() - lastProgressNanos) / 1_000_000);
    }

    boolean isWaiting() {
        return waiting;
    }

    public HealthStatus status() {
        return new HealthStatus(
                phase(),
                problem(),
                shadow,
                recoveryMillis,
                new LoopProgress(cycles, ageMillis(), lastSeq),
                new QueueLengths(queuedRequests.getAsInt(), pending, running));
    }
}
