package dev.fermata.live.learning;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.CoRunSample;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reports the speed of co-located attempts to the scheduler: measured by their steps, before that predicted by the speed
 * model. An attempt that is alone again has full speed. Only the scheduler loop's thread uses it.
 */
public final class SpeedTracker {
    /** Interval between checks while attempts are co-located. */
    static final long CHECK_MILLIS = 1_000;

    /** A speed that differs by less than this share from the known one counts as equal. */
    private static final double MATERIAL_SHARE = 0.1;

    /** Shortest time between two reports of an attempt with the same neighbours. */
    static final long REPORT_AGAIN_MILLIS = 10_000;

    /** Reports in one check at most; the next check reports the others. */
    private static final int MAX_PER_CHECK = 200;

    /** Lowest speed relative to alone: a step that hangs is no measurement. */
    private static final double MIN_RELATIVE_SPEED = 0.02;

    /** A mean speed within this share of the speed alone counts as alone. */
    private static final double ROUNDING_TOLERANCE = 0.005;

    private static final double UNKNOWN = -1;

    private final Scheduler scheduler;
    private final LiveJobIndex liveJobs;
    private final ProgressReports reports;
    private final ProfileService profiles;
    /** Attempts that are or were co-located. */
    private final Set<LiveAttempt> coLocatedAttempts = new LinkedHashSet<>();

    private long nextMillis = Plan.NEVER;

    public SpeedTracker(Scheduler scheduler, LiveJobIndex liveJobs, ProgressReports reports, ProfileService profiles) {
        this.scheduler = scheduler;
        this.liveJobs = liveJobs;
        this.reports = reports;
        this.profiles = profiles;
    }

    private Topology topology() {
        return scheduler.view().topology();
    }

    public long nextMillis() {
        return nextMillis;
    }

    /** An attempt changed its state: the speed of the jobs on its GPUs is checked in this cycle. */
    public void markChanged(LiveAttempt run) {
        if (run.coLocated) {
            nextMillis = 0;
        }
    }

    /** Two attempts share a GPU from now on. */
    public void recordCoLocation(LiveAttempt one, LiveAttempt other, long nowMillis) {
        for (LiveAttempt run : List.of(one, other)) {
            run.coLocated = true;
            coLocatedAttempts.add(run);
            reports.setNeighbours(run.jobId, run.attempt, null, nowMillis);
        }
        nextMillis = 0;
    }

    /** Checks all co-located attempts if a check is due. */
    public void check(LearningOutput output) {
        long now = output.nowMillis();
        if (now < nextMillis) {
            return;
        }
        boolean again = false;
        int reported = 0;
        for (Iterator<LiveAttempt> runs = coLocatedAttempts.iterator(); runs.hasNext(); ) {
            LiveAttempt run = runs.next();
            LiveJob job = liveJobs.find(run.jobId);
            JobView view = scheduler.job(run.jobId);
            if (job == null
                    || job.liveAttempt != run
                    || view == null
                    || !view.state().holdsGpus()) {
                runs.remove();
                continue;
            }
            NeighbourSet neighbours = neighboursOf(run.jobId, run.allocation, now);
            boolean steps = view.state() == JobState.RUNNING;
            reports.setNeighbours(
                    run.jobId, run.attempt, steps && neighbours.allKnown ? neighbours.programs : null, now);
            if (steps && reported < MAX_PER_CHECK) {
                reported += reportSpeed(run, view, neighbours, output) ? 1 : 0;
            }
            again |= neighbours.present;
        }
        nextMillis = again || reported == MAX_PER_CHECK ? now + CHECK_MILLIS : Plan.NEVER;
    }

    /**
     * The jobs that share GPUs with an attempt.
     *
     * @param present whether there is one
     * @param allKnown whether all of them are known to be training
     * @param programs sorted program labels of those that train
     * @param workers the profiles of those that train
     */
    private record NeighbourSet(boolean present, boolean allKnown, List<String> programs, List<Profile> workers) {}

    /** The predicted slowdown by co-located jobs, on the GPU where it is largest. */
    private double expectedSlowdown(LiveAttempt run, JobView view, long nowMillis) {
        double max = 1;
        for (int i = 0; i < run.allocation.size(); i++) {
            Allocation one = Allocation.of(topology(), new int[] {run.allocation.gpu(i)}, true);
            NeighbourSet there = neighboursOf(run.jobId, one, nowMillis);
            max = Math.max(max, SpeedModel.coRunSlowdown(view.job().profile(), there.workers));
        }
        return max;
    }

    private NeighbourSet neighboursOf(long jobId, Allocation allocation, long nowMillis) {
        List<String> keys = new ArrayList<>();
        List<Profile> workers = new ArrayList<>();
        Set<Long> others = scheduler.gpuUse().neighbours(jobId, allocation);
        boolean sure = true;
        for (long id : others) {
            LiveJob other = liveJobs.find(id);
            JobView view = scheduler.job(id);
            if (other != null && view != null && isWorking(view, nowMillis)) {
                keys.add(other.programKey.label());
                workers.add(view.job().profile());
            } else {
                sure = false;
            }
        }
        keys.sort(null);
        return new NeighbourSet(!others.isEmpty(), sure, keys, workers);
    }

    /** A job that loads, saves or ends is not training. One without reports counts as loading for its profile's load time. */
    private boolean isWorking(JobView view, long nowMillis) {
        if (view.state() != JobState.RUNNING) {
            return false;
        }
        Costs costs = view.job().costs();
        long load = view.resumed() ? costs.reloadMillis() : costs.firstLoadMillis();
        return switch (reports.activity(view.id(), view.attempt())) {
            case STEPPING -> true;
            case SILENT -> nowMillis - view.runningMillis() >= load;
            case LOADING, FINISHED -> false;
        };
    }

    private boolean reportSpeed(LiveAttempt run, JobView view, NeighbourSet neighbours, LearningOutput output) {
        long now = output.nowMillis();
        long alone =
                SpeedModel.speedAlone(view.job(), run.allocation, topology()).micro();
        long knownSpeed = view.speedMicro();
        if (run.speedReportedWith == null && !neighbours.programs.isEmpty() && knownSpeed != alone) {
            run.speedReportedWith = neighbours.programs; // reported before a restart
        }
        boolean asBefore = neighbours.programs.equals(run.speedReportedWith);
        double measured = measuredSpeed(run, neighbours);
        if (asBefore && (measured == UNKNOWN || now - run.speedReportedMillis < REPORT_AGAIN_MILLIS)) {
            return false;
        }
        double speed = measured != UNKNOWN ? measured : 1 / expectedSlowdown(run, view, now);
        long speedMicro = Math.max(1, Math.round(alone * speed));
        if (speed == 1 ? speedMicro == knownSpeed : Math.abs(speedMicro - knownSpeed) <= MATERIAL_SHARE * knownSpeed) {
            return false;
        }
        run.speedReportedWith = neighbours.programs;
        run.speedReportedMillis = now;
        output.addEvent(new Event.SpeedChanged(run.jobId, run.attempt, speedMicro));
        return true;
    }

    /** Its measured speed relative to alone. */
    private double measuredSpeed(LiveAttempt run, NeighbourSet neighbours) {
        if (neighbours.programs.isEmpty() || !neighbours.allKnown) {
            return UNKNOWN;
        }
        CoRunStepTimes stepTimes = reports.coRunStepTimes(run.jobId, run.attempt);
        long coRun = stepTimes.medianMicros(neighbours.programs);
        long alone = exclusiveStepMicros(run, stepTimes);
        return coRun > 0 && alone > 0 ? Math.max(MIN_RELATIVE_SPEED, Math.min(1, (double) alone / coRun)) : UNKNOWN;
    }

    /** The step time alone, measured by this attempt or else by its profile; -1 when unknown. */
    private long exclusiveStepMicros(LiveAttempt run, CoRunStepTimes stepTimes) {
        long own = stepTimes.medianMicros(List.of());
        LiveJob job = liveJobs.find(run.jobId);
        return own > 0 || job == null ? own : profiles.iterationMicros(job.programKey, run.allocation);
    }

    /** The measurements with the co-run samples of the ended attempt. */
    public AttemptMeasurements withCoRuns(LiveAttempt run, AttemptMeasurements measured) {
        if (!run.coLocated) {
            return measured;
        }
        CoRunStepTimes stepTimes = reports.coRunStepTimes(run.jobId, run.attempt);
        long alone = exclusiveStepMicros(run, stepTimes);
        if (alone <= 0) {
            return measured;
        }
        List<CoRunSample> seen = new ArrayList<>();
        stepTimes.coRunMicros().forEach((key, micros) -> seen.add(new CoRunSample(key, micros, alone)));
        return seen.isEmpty() ? measured : measured.withCoRuns(seen);
    }

    /**
     * Corrects the saved work of a co-located attempt. The engine counts it at the speed of an attempt that is alone; this
     * uses the mean of the reported speeds.
     */
    public Event.AttemptEnded correctUsage(Event.AttemptEnded ended, LiveAttempt run, long nowMillis) {
        JobView view = scheduler.job(ended.jobId());
        Usage usage = ended.usage();
        if (view == null || !run.allocation.shared() || run.runningMillis < 0 || usage.usefulMillis() == 0) {
            return ended;
        }
        long ran = (run.preemptingMillis >= 0 ? run.preemptingMillis : nowMillis) - view.runningMillis();
        double work = view.doneWorkMillis(nowMillis) - view.savedWorkMillis();
        double alone = (double) SpeedModel.speedAlone(view.job(), run.allocation, topology())
                        .micro()
                / Speed.UNIT;
        double mean = ran <= 0 ? alone : work / ran;
        if (ran <= 0 || Math.abs(mean - alone) <= ROUNDING_TOLERANCE * alone + 1.0 / ran) {
            return ended;
        }
        Usage counted = new Usage(
                usage.loadMillis(),
                usage.usefulMillis(),
                usage.lostMillis(),
                usage.preemptMillis(),
                usage.communicationMillis(),
                view.savedWorkMillis() + Math.round(usage.usefulMillis() * mean));
        return new Event.AttemptEnded(ended.jobId(), ended.attempt(), ended.outcome(), counted);
    }

    /** Restores an attempt. Which jobs it was co-located with is not stored. */
    public void restore(LiveAttempt run, Allocation held) {
        run.coLocated = held.shared();
        if (run.coLocated) {
            coLocatedAttempts.add(run);
            nextMillis = 0;
        }
    }
}
