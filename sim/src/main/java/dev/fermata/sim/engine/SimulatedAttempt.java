package dev.fermata.sim.engine;

import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Speed;
import dev.fermata.sim.workload.SimulatedJob;

/** One attempt of a job on the simulated GPUs: its phase and the work that is left. */
final class SimulatedAttempt {
    enum AttemptPhase {
        LOADING,
        /** It is still loading, but counts as running. */
        HIDDEN_LOADING,
        RUNNING,
        PREEMPTING,
        ENDED
    }

    final SimulatedJob job;
    final int attemptNumber;
    final Allocation allocation;
    final long startedMillis;
    AttemptPhase phase = AttemptPhase.LOADING;
    /** When it has loaded. */
    long loadedMillis;
    /** When it is reported as running; whether it has been, and at which speed. */
    long reportMillis;

    boolean reportedRunning;
    long reportedSpeedMicro;
    /** Timers carry the generation they were set in; a change of plan makes the old ones stale. */
    int generation;
    /** Whether the preemption in progress will save the work. */
    boolean willSave;
    /** Whether it is being suspended. */
    boolean suspends;
    /** Whether it runs on links that others may share, and the shares of its time in which it would transfer alone. */
    boolean usesLinks;

    long rackUseMicro;
    long spineUseMicro;

    /** How long it may run before it is stopped for good. */
    private final long limitMillis;

    private long runningMillis;
    private long preemptedMillis;
    private long updatedMillis;
    private Speed speed = Speed.REFERENCE;
    private double communicationMillis;
    private long remainingMicro;
    private long checkpointMillis;
    private long checkpointRemainingMicro;

    /** @param ranMillis how long earlier attempts ran */
    SimulatedAttempt(
            SimulatedJob job, int attempt, Allocation allocation, long now, long remainingMicro, long ranMillis) {
        this.job = job;
        this.attemptNumber = attempt;
        this.allocation = allocation;
        this.startedMillis = now;
        this.remainingMicro = remainingMicro;
        this.checkpointRemainingMicro = remainingMicro;
        long limit = job.job().limitMillis();
        this.limitMillis = limit == 0 ? Long.MAX_VALUE : limit - ranMillis;
    }

    /** What is left to do of what earlier attempts saved: more than what is left, where its processes were suspended. */
    void remainingOnDisk(long micro) {
        checkpointRemainingMicro = micro;
    }

    void begin(long now, Speed first) {
        phase = AttemptPhase.RUNNING;
        runningMillis = now;
        checkpointMillis = now;
        updatedMillis = now;
        speed = first;
    }

    /** Continues an attempt that runs already: since when, how fast, and with how much work done in this attempt. */
    void continueRunning(long since, long now, Speed current, long doneMicro) {
        begin(since, current);
        reportedRunning = true;
        long interval = job.job().checkpointMillis();
        if (interval > 0 && now > since) {
            checkpointMillis = since + (now - since) / interval * interval;
            long unsaved = Math.min(doneMicro, (now - checkpointMillis) * current.micro());
            checkpointRemainingMicro = Math.max(0, remainingMicro - doneMicro + unsaved);
        }
        remainingMicro = Math.max(1, remainingMicro - doneMicro);
        updatedMillis = now;
    }

    /** Accounts for the time since the last update at the speed of that time, periodic checkpoints included. */
    void advance(long now) {
        if (phase != AttemptPhase.RUNNING) {
            return;
        }
        long interval = job.job().checkpointMillis();
        if (interval > 0) {
            long last = runningMillis + (now - runningMillis) / interval * interval;
            if (last > checkpointMillis && last > updatedMillis) {
                checkpointMillis = last;
                checkpointRemainingMicro = remainingAfter(last - updatedMillis);
            }
        }
        remainingMicro = remainingAfter(now - updatedMillis);
        communicationMillis += (now - updatedMillis) * speed.communicationShare();
        updatedMillis = now;
    }

    private long remainingAfter(long millis) {
        return Math.max(0, remainingMicro - millis * speed.micro());
    }

    /** Changes the speed from now on; returns whether it differs. */
    boolean speed(long now, Speed next) {
        advance(now);
        boolean differs = next.micro() != speed.micro();
        speed = next;
        return differs;
    }

    Speed speed() {
        return speed;
    }

    /** Whether its work is done or its time limit reached. */
    boolean isOver(long now) {
        return isDone() || now - runningMillis >= limitMillis;
    }

    /** When its next event is due: that it runs, or that it has ended. */
    long nextMillis() {
        return reportedRunning ? endMillis() : Math.min(reportMillis, endMillis());
    }

    /** When it has done its work, or reaches its limit. */
    private long endMillis() {
        long end = updatedMillis + speed.millisFor(remainingMicro);
        return end - runningMillis > limitMillis ? runningMillis + limitMillis : end;
    }

    long remainingMicro(long now) {
        return phase == AttemptPhase.RUNNING ? remainingAfter(now - updatedMillis) : remainingMicro;
    }

    boolean isLoading() {
        return phase == AttemptPhase.LOADING || phase == AttemptPhase.HIDDEN_LOADING;
    }

    boolean isRunning() {
        return phase == AttemptPhase.RUNNING;
    }

    /** How long it has made progress; -1 when it does not. */
    long ranMillis(long now) {
        return phase == AttemptPhase.RUNNING ? now - runningMillis : -1;
    }

    /** Wall-clock time that its work still takes at this speed. */
    long remainingWallMillis(long now) {
        return speed.millisFor(remainingMicro(now));
    }

    boolean isDone() {
        return remainingMicro == 0;
    }

    void preempt(long now) {
        advance(now);
        if (isLoading()) {
            runningMillis = now;
            checkpointMillis = now;
        }
        preemptedMillis = now;
        phase = AttemptPhase.PREEMPTING;
    }

    /** Work left for the next attempt when this one ends with or without saving. */
    long remainingAfterEndMicro(boolean saved) {
        return saved ? remainingMicro : checkpointRemainingMicro;
    }

    /** How the attempt spent its time; {@code saved} says whether all its work is kept. */
    Usage usage(long now, boolean saved) {
        long loadEnd = isLoading() ? now : runningMillis;
        long runEnd = phase == AttemptPhase.PREEMPTING ? preemptedMillis : now;
        long ran = isLoading() ? 0 : runEnd - runningMillis;
        long lost = saved ? 0 : Math.max(0, ran - (checkpointMillis - runningMillis));
        long preempting = phase == AttemptPhase.PREEMPTING ? now - preemptedMillis : 0;
        long kept = (job.durationMillis() * Speed.UNIT - remainingAfterEndMicro(saved)) / Speed.UNIT;
        return new Usage(loadEnd - startedMillis, ran - lost, lost, preempting, Math.round(communicationMillis), kept);
    }
}
