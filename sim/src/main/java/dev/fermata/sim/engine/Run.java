package dev.fermata.sim.engine;

import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Pace;
import dev.fermata.sim.workload.TrueJob;

/** One attempt of a job on the simulated GPUs: where it is in its life and how much work is left. */
final class Run {
    enum Phase {
        LOADING,
        /** It loads still, but counts as running. */
        UNSEEN,
        RUNNING,
        PAUSING,
        GONE
    }

    final TrueJob job;
    final int attempt;
    final Allocation allocation;
    final long startedMillis;
    Phase phase = Phase.LOADING;
    /** When it has loaded. */
    long loadedMillis;
    /** When it is said to run; whether it was, and at which pace. */
    long seenMillis;

    boolean seen;
    long toldMicro;
    /** Timers carry the generation they were set in; a change of plan makes the old ones stale. */
    int generation;
    /** True when the pause in progress will save the work. */
    boolean saves;

    /** How long it may run before it is stopped for good. */
    private final long limitMillis;

    private long runningMillis;
    private long pausedMillis;
    private long updatedMillis;
    private Pace pace = Pace.REFERENCE;
    private double communicationMillis;
    private long leftMicro;
    private long checkpointMillis;
    private long checkpointLeftMicro;

    /** @param ranMillis how long earlier attempts ran */
    Run(TrueJob job, int attempt, Allocation allocation, long now, long leftMicro, long ranMillis) {
        this.job = job;
        this.attempt = attempt;
        this.allocation = allocation;
        this.startedMillis = now;
        this.leftMicro = leftMicro;
        this.checkpointLeftMicro = leftMicro;
        long limit = job.job().limitMillis();
        this.limitMillis = limit == 0 ? Long.MAX_VALUE : limit - ranMillis;
    }

    void begin(long now, Pace first) {
        phase = Phase.RUNNING;
        runningMillis = now;
        checkpointMillis = now;
        updatedMillis = now;
        pace = first;
    }

    /** It runs already: since when, how fast, and how much of its work it has done so far in this attempt. */
    void continueRunning(long since, long now, Pace current, long doneMicro) {
        begin(since, current);
        seen = true;
        long interval = job.job().checkpointMillis();
        if (interval > 0 && now > since) {
            checkpointMillis = since + (now - since) / interval * interval;
            long unsaved = Math.min(doneMicro, (now - checkpointMillis) * current.micro());
            checkpointLeftMicro = Math.max(0, leftMicro - doneMicro + unsaved);
        }
        leftMicro = Math.max(1, leftMicro - doneMicro);
        updatedMillis = now;
    }

    /** Accounts for the time since the last update at the pace of that time, periodic checkpoints included. */
    void advance(long now) {
        if (phase != Phase.RUNNING) {
            return;
        }
        long interval = job.job().checkpointMillis();
        if (interval > 0) {
            long last = runningMillis + (now - runningMillis) / interval * interval;
            if (last > checkpointMillis && last > updatedMillis) {
                checkpointMillis = last;
                checkpointLeftMicro = leftAfter(last - updatedMillis);
            }
        }
        leftMicro = leftAfter(now - updatedMillis);
        communicationMillis += (now - updatedMillis) * pace.communicationShare();
        updatedMillis = now;
    }

    private long leftAfter(long millis) {
        return Math.max(0, leftMicro - millis * pace.micro());
    }

    /** Changes the pace from now on; answers whether it differs. */
    boolean pace(long now, Pace next) {
        advance(now);
        boolean differs = next.micro() != pace.micro();
        pace = next;
        return differs;
    }

    Pace pace() {
        return pace;
    }

    /** Whether it has done its work, or may do no more. */
    boolean over(long now) {
        return done() || now - runningMillis >= limitMillis;
    }

    /** When something is to be said of it next: that it runs, or that it has ended. */
    long nextMillis() {
        return seen ? endMillis() : Math.min(seenMillis, endMillis());
    }

    /** When it has done its work, or reaches its limit. */
    private long endMillis() {
        long end = updatedMillis + pace.millisFor(leftMicro);
        return end - runningMillis > limitMillis ? runningMillis + limitMillis : end;
    }

    long leftMicro(long now) {
        return phase == Phase.RUNNING ? leftAfter(now - updatedMillis) : leftMicro;
    }

    boolean loads() {
        return phase == Phase.LOADING || phase == Phase.UNSEEN;
    }

    /** How long it has made progress; -1 when it does not. */
    long ranMillis(long now) {
        return phase == Phase.RUNNING ? now - runningMillis : -1;
    }

    /** Wall-clock time that its work still takes at this pace. */
    long needsMillis(long now) {
        return pace.millisFor(leftMicro(now));
    }

    boolean done() {
        return leftMicro == 0;
    }

    void pause(long now) {
        advance(now);
        if (loads()) {
            runningMillis = now;
            checkpointMillis = now;
        }
        pausedMillis = now;
        phase = Phase.PAUSING;
    }

    /** Work left for the next attempt when this one leaves with or without saving. */
    long leftBehindMicro(boolean saved) {
        return saved ? leftMicro : checkpointLeftMicro;
    }

    /** What the attempt did with its time; {@code saved} says whether everything it did is kept. */
    Usage usage(long now, boolean saved) {
        long loadEnd = loads() ? now : runningMillis;
        long runEnd = phase == Phase.PAUSING ? pausedMillis : now;
        long ran = loads() ? 0 : runEnd - runningMillis;
        long lost = saved ? 0 : Math.max(0, ran - (checkpointMillis - runningMillis));
        long pausing = phase == Phase.PAUSING ? now - pausedMillis : 0;
        long kept = (job.durationMillis() * Pace.UNIT - leftBehindMicro(saved)) / Pace.UNIT;
        return new Usage(loadEnd - startedMillis, ran - lost, lost, pausing, Math.round(communicationMillis), kept);
    }
}
