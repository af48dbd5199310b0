package dev.fermata.core.policy.rehearsal;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.rehearsal.PoolReplay.Submission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Chooses how much the GPUs of a gang count in its rank: remaining work times GPUs to the power of an exponent. No exponent
 * is right everywhere: 0 (SRTF) where gangs are large against the cluster, 1 (SRSF) where they are small. So the last
 * submissions are played again under each candidate ({@link PoolReplay}), and the best one is followed.
 *
 * <p>It uses only what is known at that time: the work of ended jobs, and estimates of the others. The steps of all replays
 * are bounded by a fixed number per submission, so a rehearsal costs the same share of a run whatever its size.
 */
public final class OrderRehearsal {
    /**
     * The candidate exponents. Below 0 wide gangs go first, which keeps small jobs from blocking a cluster that is hardly larger
     * than they are.
     */
    private static final double[] EXPONENTS = {-1, -0.5, 0, 0.5, 1};

    private static final int FIRST_CANDIDATE = 3;
    private static final int MAX_SUBMISSIONS = 512;
    private static final int MIN_SUBMISSIONS = 32;
    /** Steps of replay that each submission allows. */
    private static final long STEPS_PER_SUBMISSION = 4000;
    /** Another candidate must be better by this share: near equals do not alternate. */
    private static final double MIN_GAIN = 0.002;

    /** How much the rehearsals before count against the last one. */
    private static final double MEMORY = 0.9;

    private final Deque<Submission> recent = new ArrayDeque<>();
    private final Set<Long> window = new HashSet<>();
    /** What ended jobs of the window needed. */
    private final Map<Long, Double> endedWork = new HashMap<>();

    /** Mean completion times relative to the best candidate, averaged over rehearsals. */
    private final double[] scores = new double[EXPONENTS.length];

    private int candidate = FIRST_CANDIDATE;
    private int submittedSince;
    private long stepsSpent;

    /** The exponent to follow. */
    public double exponent() {
        return EXPONENTS[candidate];
    }

    public void observeSubmission(JobView job) {
        if (!window.add(job.id())) {
            return; // it was held for a while
        }
        submittedSince++;
        if (recent.size() == MAX_SUBMISSIONS) {
            long oldest = recent.removeFirst().id();
            window.remove(oldest);
            endedWork.remove(oldest);
        }
        recent.addLast(new Submission(
                job.id(),
                job.fifoKeyMillis(),
                job.job().demand().maxGpus(),
                0,
                job.job().preemptionOverheadMillis()));
    }

    public void observeEnd(JobView job, View view) {
        if (!window.contains(job.id())) {
            return;
        }
        if (job.state() == JobState.COMPLETED || job.state() == JobState.FAILED) {
            endedWork.put(job.id(), (double) Math.max(1, job.doneWorkMillis(view.nowMillis())));
        }
    }

    /**
     * Rehearses when enough jobs were submitted since the last time.
     *
     * @param remainingMillis the work that a live job still needs, as the policy estimates it
     * @return whether another exponent is to be followed from now on
     */
    public boolean update(View view, ToLongFunction<JobView> remainingMillis) {
        if (submittedSince < MIN_SUBMISSIONS || stepsSpent > STEPS_PER_SUBMISSION * submittedSince) {
            return false;
        }
        submittedSince = 0;
        PoolReplay replay = new PoolReplay(known(view, remainingMillis), Math.max(1, view.gpusUp()));
        List<Double> means = new ArrayList<>();
        for (int k = 0; k < EXPONENTS.length; k++) {
            boolean same = k > 0 && !replay.anyJobWaited();
            means.add(same ? means.get(0) : replay.meanCompletionMillis(EXPONENTS[k]));
        }
        double least = Collections.min(means);
        int best = 0;
        for (int k = 0; k < EXPONENTS.length; k++) {
            scores[k] = MEMORY * scores[k] + (1 - MEMORY) * means.get(k) / Math.max(1, least);
            best = scores[k] < scores[best] ? k : best;
        }
        stepsSpent = replay.operations();
        if (best == candidate || scores[best] > scores[candidate] * (1 - MIN_GAIN)) {
            return false;
        }
        candidate = best;
        return true;
    }

    /** The window with the work of each job as far as it is known, without jobs that vanished or do not fit. */
    private List<Submission> known(View view, ToLongFunction<JobView> remainingMillis) {
        List<Submission> jobs = new ArrayList<>(recent.size());
        for (Submission job : recent) {
            Double work = endedWork.get(job.id());
            JobView live = work == null ? view.job(job.id()) : null;
            if (live != null) {
                work = (double) live.doneWorkMillis(view.nowMillis()) + remainingMillis.applyAsLong(live);
            }
            if (work != null && job.gpus() <= view.gpusUp()) {
                jobs.add(new Submission(job.id(), job.arrivalMillis(), job.gpus(), work, job.overheadMillis()));
            }
        }
        jobs.sort(Comparator.comparingLong(Submission::arrivalMillis).thenComparingLong(Submission::id));
        return jobs;
    }
}
