package dev.fermata.core.estimate;

import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.RunFeatures;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Learns how long jobs run from ended jobs: of the same program ({@link SimilarRuns}), else of the same user, name, model, queue,
 * class and size. A group with too few jobs follows the more general one
 * ({@link HazardModel}). For a job that has run for a while it considers jobs that ran as
 * long; it does not distinguish jobs that have hardly run. It sees only what happened, never what will.
 *
 * <p>The same jobs in the same order give the same answers. Its estimate of a job changes when the job has grown older by a
 * step, and of all jobs when the number of ended ones has grown by a quarter; in between it is cached. A new estimate costs
 * O(steps), a new conclusion about a group O(steps · groups).
 */
public final class HistoryEstimator implements Estimator {
    private static final int ENOUGH_SAMPLES = 3;
    private static final double LOW = 0.1;
    private static final double MEDIAN = 0.5;
    private static final double HIGH = 0.9;
    /** No job is expected to end within less than this share of what it has done. */
    private static final long MIN_REMAINING_SHARE = 16;
    /** All jobs are estimated again when the number of ended jobs has grown by this share. */
    private static final long VERSION_GROWTH = 4;

    private final JobGroups groups = new JobGroups();
    private final GroupWeight[] groupWeights = new GroupWeight[JobGroups.DEPTH];
    private final SimilarRuns similarRuns = new SimilarRuns();
    private final LongMap<LiveEstimate> live = new LongMap<>();
    private long ended;
    private long nextVersionAt = 1;
    private long version;

    /** What is known of a live job. */
    private static final class LiveEstimate {
        final GroupPath groupPath;
        /** All steps of age before this one are counted. */
        int countedSteps;

        /** The median of what jobs of this step need in all, as of that version. */
        double medianMillis;

        int medianStep = -1;
        long medianVersion;

        @Nullable
        LearnedEstimate estimate;

        long estimateVersion;
        int estimateNewUntil;

        LiveEstimate(GroupPath groupPath) {
            this.groupPath = groupPath;
        }
    }

    public HistoryEstimator() {
        Arrays.setAll(groupWeights, depth -> new GroupWeight());
    }

    /** The name without the part that distinguishes runs: jobs of the same user with the same rest are runs of one thing. */
    public static String namePrefix(String name) {
        return JobGroups.prefix(name);
    }

    /** Half of the jobs like this one that ran as long as it has need less. */
    @Override
    public long remainingMillis(JobView job, long nowMillis) {
        long done = job.doneWorkMillis(nowMillis);
        SimilarRuns.WorkEstimate similar = similar(job, done);
        if (similar != null) {
            return similar.leftMillis(done, MEDIAN);
        }
        double total = medianMillis(liveEstimate(job), step(job, done));
        return Math.max(1, Math.max(done / MIN_REMAINING_SHARE, Math.round(total) - done));
    }

    /** The work of a job as completed runs of its program suggest it; null for unknown, and for a job that outlasts them. */
    private SimilarRuns.@Nullable WorkEstimate similar(JobView job, long done) {
        RunFeatures features = job.job().features();
        if (!features.isKnown() || (!features.statesLength() && sampleCount(job) >= ENOUGH_SAMPLES)) {
            return null; // jobs with the same command show the whole distribution
        }
        SimilarRuns.WorkEstimate work = similarRuns.estimate(job.job());
        return work == null || !work.holdsFor(done) ? null : work;
    }

    /** How many completed runs of its program the estimate of a job rests on; 0 where it outlasts them. */
    public int similarRuns(JobView job, long nowMillis) {
        return similar(job, job.doneWorkMillis(nowMillis)) == null
                ? 0
                : similarRuns.count(job.job().features());
    }

    /**
     * With a chance of a tenth, a half and nine tenths a job that ran as long as this one still needs less. A query
     * changes no later answer.
     */
    public long[] decilesMillis(JobView job, long nowMillis) {
        long done = job.doneWorkMillis(nowMillis);
        SimilarRuns.WorkEstimate similar = similar(job, done);
        if (similar != null) {
            return new long[] {
                similar.leftMillis(done, LOW), similar.leftMillis(done, MEDIAN), similar.leftMillis(done, HIGH)
            };
        }
        double[] totals = liveEstimate(job)
                .groupPath
                .peekHazardModel(version, groupWeights)
                .quantilesMillis(step(job, done), LOW, MEDIAN, HIGH);
        long[] left = new long[totals.length];
        for (int i = 0; i < left.length; i++) {
            left[i] = Math.max(1, Math.max(done / MIN_REMAINING_SHARE, Math.round(totals[i]) - done));
        }
        return left;
    }

    /** How many jobs of its class, size, queue and model have ended: its estimate rests on them if there were any. */
    public int sampleCount(JobView job) {
        return liveEstimate(job).groupPath.endedJobs(JobGroups.MODEL_DEPTH);
    }

    @Override
    public RuntimeEstimate runtimeEstimate(JobView job, long nowMillis) {
        long done = job.doneWorkMillis(nowMillis);
        SimilarRuns.WorkEstimate similar = similar(job, done);
        if (similar != null) {
            return new SimilarRunsEstimate(similar, done);
        }
        return estimate(liveEstimate(job), step(job, done), newUntilStep(job));
    }

    @Override
    public long version(long nowMillis) {
        return version + similarRuns.version();
    }

    @Override
    public void observe(JobView job, long nowMillis) {
        LiveEstimate liveEstimate = liveEstimate(job);
        int step = AgeSteps.stepOf(job.doneWorkMillis(nowMillis));
        int passed = step - SurvivalCounts.SMOOTHING_RADIUS;
        if (passed > liveEstimate.countedSteps) {
            liveEstimate.groupPath.recordPassed(liveEstimate.countedSteps, passed);
            liveEstimate.countedSteps = passed;
        }
        if (job.state().isFinal()) {
            live.remove(job.id());
            if (job.state() == JobState.COMPLETED) {
                similarRuns.add(job.job(), job.doneWorkMillis(nowMillis));
            }
            if (endedByItself(job.state())) {
                liveEstimate.groupPath.recordEnd(step, groupWeights);
                countEnded();
            }
        }
    }

    /** Of jobs that ended for any other reason the full run time is not known. */
    private static boolean endedByItself(JobState state) {
        return state == JobState.COMPLETED || state == JobState.FAILED;
    }

    private void countEnded() {
        ended++;
        if (ended >= nextVersionAt) {
            nextVersionAt = ended + 1 + ended / VERSION_GROWTH;
            version++;
        }
    }

    private LiveEstimate liveEstimate(JobView job) {
        LiveEstimate liveEstimate = live.get(job.id());
        if (liveEstimate == null) {
            liveEstimate = new LiveEstimate(groups.of(job.job()));
            live.put(job.id(), liveEstimate);
        }
        return liveEstimate;
    }

    /** The age in which a job is judged. Work that was lost must be done again, but the job is known not to end in it. */
    private static int step(JobView job, long doneMillis) {
        int step = AgeSteps.stepOf(Math.max(job.peakWorkMillis(), doneMillis));
        return step < newUntilStep(job) ? 0 : step;
    }

    /**
     * Until this step a job counts as new. A run shorter than its own preemption and load is no reason to yield to a
     * job that has not run at all.
     */
    private static int newUntilStep(JobView job) {
        return AgeSteps.stepOf(job.job().preemptionOverheadMillis());
    }

    private double medianMillis(LiveEstimate liveEstimate, int step) {
        if (step != liveEstimate.medianStep || version != liveEstimate.medianVersion) {
            liveEstimate.medianMillis =
                    liveEstimate.groupPath.hazardModel(version, groupWeights).quantileMillis(step, MEDIAN);
            liveEstimate.medianStep = step;
            liveEstimate.medianVersion = version;
        }
        return liveEstimate.medianMillis;
    }

    private LearnedEstimate estimate(LiveEstimate liveEstimate, int step, int newUntil) {
        LearnedEstimate known = liveEstimate.estimate;
        if (known == null
                || step < known.step()
                || step > known.lastStep()
                || version != liveEstimate.estimateVersion
                || newUntil != liveEstimate.estimateNewUntil) {
            known = liveEstimate
                    .groupPath
                    .hazardModel(version, groupWeights)
                    .estimate(step)
                    .extendTo(step == 0 ? newUntil - 1 : step);
            liveEstimate.estimate = known;
            liveEstimate.estimateVersion = version;
            liveEstimate.estimateNewUntil = newUntil;
        }
        return known;
    }
}
