package dev.fermata.app.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Pace;
import dev.fermata.live.conductor.ReportedTime;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.HashMap;
import java.util.Map;

/**
 * What scripts that count their steps would report in a simulation: as in reality nothing at first, and how long it will still take
 * once an attempt has run long enough for two reports; told anew when it has come twice as far.
 */
final class CountedSteps implements ReportedTime {
    /** An attempt that runs: since when it works, and when it is known how long it takes. */
    private record Runs(long sinceMillis, long knownAfterMillis) {
        /** How often it was judged: when that was known, and whenever it had run twice as long. */
        int told(long nowMillis) {
            return nowMillis < sinceMillis
                    ? 0
                    : Long.SIZE - Long.numberOfLeadingZeros((nowMillis - sinceMillis) / knownAfterMillis);
        }
    }

    private final SimulatedEngine engine;
    private final Map<Long, Counting> counting;
    private final Map<Long, Runs> running = new HashMap<>();
    /** How fast jobs that have counted steps were when they last ran; they know what is left while they wait. */
    private final Map<Long, Long> paces = new HashMap<>();

    /** The work that they were thought to have left then. */
    private final Map<Long, Long> left = new HashMap<>();

    private long toldBefore;

    CountedSteps(SimulatedEngine engine, Map<Long, Counting> counting) {
        this.engine = engine;
        this.counting = counting;
    }

    /** Something happened to a job. */
    void noted(JobView job, long now) {
        Counting how = counting.get(job.id());
        if (how == null) {
            return;
        }
        if (job.state() == JobState.RUNNING) {
            running.putIfAbsent(
                    job.id(),
                    new Runs(
                            engine.loadedMillis(job.id()),
                            how.telling(job.attempt()).knownAfterMillis()));
            paces.put(job.id(), job.paceMicro());
        } else {
            stopped(job, how, now);
        }
    }

    private void stopped(JobView job, Counting how, long now) {
        Runs runs = running.remove(job.id());
        if (runs != null) {
            toldBefore += runs.told(now);
            Counting.Telling telling = how.telling(job.attempt());
            if (now - runs.sinceMillis >= telling.toldAfterMillis()) {
                left.put(job.id(), Math.round(engine.remainingMillis(job.id(), now) * telling.believed()));
            }
        }
        if (job.state().isFinal()) {
            paces.remove(job.id());
            left.remove(job.id());
        }
    }

    @Override
    public long waitingMillis(long job) {
        Long work = left.get(job);
        Long pace = paces.get(job);
        return work == null || pace == null || pace <= 0 ? -1 : Math.max(1, work * Pace.UNIT / pace);
    }

    @Override
    public long remainingMillis(long job, int attempt, long now) {
        Counting how = counting.get(job);
        if (how == null) {
            return -1;
        }
        Counting.Telling telling = how.telling(attempt);
        long really = engine.countedMillis(job, attempt, now, telling.knownAfterMillis());
        return really < 0 ? -1 : Math.round(really * telling.believed());
    }

    @Override
    public long version(long now) {
        long version = toldBefore;
        for (Runs runs : running.values()) {
            version += runs.told(now);
        }
        return version;
    }

    @Override
    public long nextMillis(long now) {
        long next = Plan.NEVER;
        for (Runs runs : running.values()) {
            long known = runs.sinceMillis + runs.knownAfterMillis;
            next = known > now ? Math.min(next, known) : next;
        }
        return next;
    }
}
