package dev.fermata.app.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Pace;
import dev.fermata.live.conductor.ReportedTime;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What scripts that count their steps would report in a simulation: as in reality nothing at first, and how long it will still take
 * once an attempt has run long enough for two reports; told anew when it has come twice as far.
 */
final class CountedSteps implements ReportedTime {
    /** A first step, half a second until the next report, and a quarter on average until the engine looks at it. */
    static final long SECOND_REPORT_MILLIS = 850;

    private final SimulatedEngine engine;
    private final Set<Long> counting;
    private final Map<Long, Long> runningSince = new HashMap<>();
    /** How fast jobs that have counted steps were when they last ran; they know what is left while they wait. */
    private final Map<Long, Long> paces = new HashMap<>();

    /** The work they had left then. */
    private final Map<Long, Long> left = new HashMap<>();

    private long nowMillis;
    private long toldBefore;

    CountedSteps(SimulatedEngine engine, Set<Long> counting) {
        this.engine = engine;
        this.counting = counting;
    }

    /** Something happened to a job. */
    void noted(JobView job, long now) {
        nowMillis = now;
        if (counting.contains(job.id())) {
            if (job.state() == JobState.RUNNING) {
                runningSince.putIfAbsent(job.id(), job.runningMillis());
                paces.put(job.id(), job.paceMicro());
            } else {
                stopped(job, now);
            }
        }
    }

    private void stopped(JobView job, long now) {
        Long since = runningSince.remove(job.id());
        long told = since == null ? 0 : told(now - since);
        toldBefore += told;
        if (told > 0) {
            left.put(job.id(), engine.remainingMillis(job.id(), now));
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
        return counting.contains(job) ? engine.countedMillis(job, attempt, now, SECOND_REPORT_MILLIS) : -1;
    }

    @Override
    public long version() {
        long version = toldBefore;
        for (long since : runningSince.values()) {
            version += told(nowMillis - since);
        }
        return version;
    }

    /** How often it was judged: after one second, two, four, eight … */
    private static int told(long ranMillis) {
        return Long.SIZE - Long.numberOfLeadingZeros(ranMillis / SECOND_REPORT_MILLIS);
    }
}
