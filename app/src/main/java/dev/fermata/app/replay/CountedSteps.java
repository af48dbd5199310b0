package dev.fermata.app.replay;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
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
    /** A script reports its first step, and then no step before this time has passed. */
    private static final long BETWEEN_REPORTS_MILLIS = 500;
    /** On average, until the engine looks at a report. */
    private static final long UNTIL_SEEN_MILLIS = 250;

    private static final long USUAL_STEP_MILLIS = 100;

    private final SimulatedEngine engine;
    /** Who counts, and what a step takes. */
    private final Map<Long, Long> counting;

    private final Map<Long, Long> runningSince = new HashMap<>();
    /** How fast jobs that have counted steps were when they last ran; they know what is left while they wait. */
    private final Map<Long, Long> paces = new HashMap<>();

    /** The work they had left then. */
    private final Map<Long, Long> left = new HashMap<>();

    private long nowMillis;
    private long toldBefore;

    CountedSteps(SimulatedEngine engine, Map<Long, Long> counting) {
        this.engine = engine;
        this.counting = counting;
    }

    /** Something happened to a job. */
    void noted(JobView job, long now) {
        nowMillis = now;
        if (counting.containsKey(job.id())) {
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
        long told = since == null ? 0 : told(job.id(), now - since);
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
        nowMillis = Math.max(nowMillis, now);
        return counting.containsKey(job) ? engine.countedMillis(job, attempt, now, secondReportMillis(job)) : -1;
    }

    @Override
    public long version() {
        long version = toldBefore;
        for (Map.Entry<Long, Long> runs : runningSince.entrySet()) {
            version += told(runs.getKey(), nowMillis - runs.getValue());
        }
        return version;
    }

    /** How often it was judged: when its second report was seen, and whenever it had run twice as long. */
    private int told(long job, long ranMillis) {
        return Long.SIZE - Long.numberOfLeadingZeros(ranMillis / secondReportMillis(job));
    }

    /** When an attempt has run so long, two steps have been reported and seen. */
    private long secondReportMillis(long job) {
        long known = counting.getOrDefault(job, 0L);
        long step = known > 0 ? known : USUAL_STEP_MILLIS;
        long between = (BETWEEN_REPORTS_MILLIS + step - 1) / step * step;
        return step + between + UNTIL_SEEN_MILLIS;
    }
}
