package dev.fermata.core.policy.rehearsal;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.rehearsal.PoolReplay.Submission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
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

    /** Followed until the first rehearsal, where a gang needs a large part of the cluster, and where none does. */
    private static final int FIRST_FOR_WIDE_GANGS = 2;

    private static final int FIRST_FOR_SMALL_GANGS = 4;
    private static final double WIDE_SHARE = 0.25;
    private static final int MAX_SUBMISSIONS = 512;
    private static final int MIN_SUBMISSIONS = 32;
    /** Steps of replay that each submission allows. */
    private static final long STEPS_PER_SUBMISSION = 4000;
    /** Another candidate must be better by this share: near equals do not alternate. */
    private static final double MIN_GAIN = 0.002;

    /** A candidate that serves as well must preempt less often by this share. */
    private static final double MIN_FEWER_PREEMPTIONS = 0.1;

    /** How much the rehearsals before count against the last one. */
    private static final double MEMORY = 0.9;

    private final Deque<Submission> recent = new ArrayDeque<>();
    private final Set<Long> window = new HashSet<>();
    /** What ended jobs of the window needed. */
    private final LongMap<Double> endedWork = new LongMap<>();

    /** Mean completion times relative to the best candidate, averaged over rehearsals. */
    private final double[] scores = new double[EXPONENTS.length];
    /** Preemptions in the window, averaged alike. */
    private final double[] preemptions = new double[EXPONENTS.length];

    private int candidate = FIRST_FOR_SMALL_GANGS;
    private boolean rehearsed;
    private int widestGang;
    private int submittedSince;
    private long stepsSpent;

    /** The exponent to follow. */
    public double exponent() {
        return EXPONENTS[candidate];
    }

    /** The exponent to follow, and how the others did in the rehearsals so far. */
    public OrderChoice choice() {
        List<OrderChoice.Candidate> others = new ArrayList<>();
        for (int k = 0; k < EXPONENTS.length && scores[candidate] > 0; k++) {
            if (k != candidate) {
                others.add(new OrderChoice.Candidate(EXPONENTS[k], scores[k] / scores[candidate] - 1));
            }
        }
        return new OrderChoice(exponent(), others.isEmpty() ? 0 : recent.size(), others);
    }

    /** The candidate that rehearsals chose; nothing before the first one. */
    public List<Long> memory() {
        return rehearsed ? List.of((long) candidate) : List.of();
    }

    /** Follows what another instance chose until its own first rehearsal. */
    public void restoreMemory(List<Long> values) {
        if (values.size() == 1 && values.get(0) >= 0 && values.get(0) < EXPONENTS.length) {
            candidate = values.get(0).intValue();
            rehearsed = true;
        }
    }

    public void observeSubmission(JobView job) {
        if (!window.add(job.id())) {
            return; // it was held for a while
        }
        submittedSince++;
        widestGang = Math.max(widestGang, job.job().demand().maxGpus());
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
        rehearsed = true;
        PoolReplay replay = new PoolReplay(known(view, remainingMillis), Math.max(1, view.gpusUp()));
        List<Double> means = new ArrayList<>();
        for (int k = 0; k < EXPONENTS.length; k++) {
            boolean same = k > 0 && !replay.anyJobWaited();
            means.add(same ? means.get(0) : replay.meanCompletionMillis(EXPONENTS[k]));
            preemptions[k] = MEMORY * preemptions[k] + (1 - MEMORY) * replay.preemptions();
        }
        double least = Collections.min(means);
        for (int k = 0; k < EXPONENTS.length; k++) {
            scores[k] = MEMORY * scores[k] + (1 - MEMORY) * means.get(k) / Math.max(1, least);
        }
        stepsSpent = replay.operations();
        int best = calmestOfTheBest();
        boolean better = scores[best] < scores[candidate] * (1 - MIN_GAIN);
        boolean calmer = preemptions[best] < preemptions[candidate] * (1 - MIN_FEWER_PREEMPTIONS);
        return (better || calmer) && follow(best);
    }

    /** Before the first rehearsal the widest gang so far decides. Returns whether another exponent is to be followed. */
    public boolean followWidestGang(View view) {
        boolean wide = widestGang > WIDE_SHARE * view.gpusUp();
        return !rehearsed && follow(wide ? FIRST_FOR_WIDE_GANGS : FIRST_FOR_SMALL_GANGS);
    }

    /** Returns whether this is another candidate than before. */
    private boolean follow(int next) {
        boolean changed = next != candidate;
        candidate = next;
        return changed;
    }

    /** Of the candidates that serve as well as the best one, that with the fewest preemptions. */
    private int calmestOfTheBest() {
        double least = Arrays.stream(scores).min().orElseThrow();
        int found = -1;
        for (int k = 0; k < EXPONENTS.length; k++) {
            if (scores[k] <= least * (1 + MIN_GAIN) && (found < 0 || preemptions[k] < preemptions[found])) {
                found = k;
            }
        }
        return found;
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
