package dev.fermata.core.policy.order;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.View;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.ranking.PreemptWays;
import dev.fermata.core.policy.ranking.Rank;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.rehearsal.OrderRehearsal;
import dev.fermata.core.policy.tune.RuntimeRatios;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Least remaining work first, as far as it can be known, times the GPUs to a power that rehearsals choose
 * ({@link OrderRehearsal}). Where estimates proved wrong, what is left is judged from how jobs of the same age, measured in
 * their estimates, went on ({@link RuntimeRatios}).
 *
 * <p>Three groups go before all others of their priority: trials; probes, jobs whose progress will soon show how long they
 * run; and overdue jobs, which are later than under equal shares ({@link FairFinish}). Probes and overdue jobs have a
 * bounded share of the GPUs each ({@link GpuShare}).
 */
public final class EstimatedWorkOrder implements JobOrder {
    /** Levels of a priority. */
    private static final int LEVELS = 4;

    private static final int TRIAL = 0;
    private static final int PROBE = 1;
    private static final int OVERDUE = 2;
    private static final int NORMAL = 3;

    /** Shorter jobs are taken to be this long when their lateness is judged. */
    private static final long MIN_RUNTIME_MILLIS = 60_000;

    /** No job counts as overdue before it was submitted so long ago. */
    private static final long MIN_OVERDUE_AGE_MILLIS = 3_600_000;

    /** A job of uncertain run time is taken to be as long as nine in ten would be, or this many times its estimate. */
    private static final double HIGH = 0.9;

    private static final double UNCERTAINTY_FACTOR = 4;

    /** In how many equally likely run times the value of knowing a job's run time is computed. */
    private static final int RUNTIME_SAMPLES = 16;

    private final boolean trialsFirst;
    private final double maxSlowdown;
    private final PreemptWays ways;
    private final RuntimeRatios lifetimes = new RuntimeRatios();
    /** What ended jobs taught, for jobs of which the estimator knows nothing; unused where it knows all of them. */
    private final HistoryEstimator ownHistory = new HistoryEstimator();

    private boolean learns;
    private long ownVersion;
    private final OrderRehearsal rehearsal = new OrderRehearsal();
    /** Whether the last rehearsal chose another exponent and no job is ranked by it yet. */
    private boolean rehearsed;

    private final FairFinish fairFinish = new FairFinish();
    private final GpuShare overdue;
    private final GpuShare probes;
    /** The work each live job was expected to need in all, when it was first seen or its declared time last changed. */
    private final LongMap<InitialEstimate> initialEstimates = new LongMap<>();

    /**
     * @param trialsFirst trial jobs go before all others of their priority
     * @param maxSlowdown a job is overdue when it is later than if all jobs shared the GPUs equally and it were this many
     *     times as long
     * @param overdueShare the share of the GPUs for overdue jobs
     * @param probeShare the share of the GPUs for probes
     * @param ways how jobs are preempted
     */
    public EstimatedWorkOrder(
            boolean trialsFirst, double maxSlowdown, double overdueShare, double probeShare, PreemptWays ways) {
        this.ways = ways;
        this.trialsFirst = trialsFirst;
        this.maxSlowdown = maxSlowdown;
        this.overdue = new GpuShare(overdueShare, true, MIN_OVERDUE_AGE_MILLIS);
        this.probes = new GpuShare(probeShare, false, 0);
    }

    @Override
    public Rank waiting(JobView job, View view) {
        int step = step(job, view);
        return Rank.fixed(level(job, step), step == NORMAL || step == TRIAL ? service(job, view) : job.fifoKeyMillis());
    }

    @Override
    public Rank running(JobView job, View view) {
        int step = step(job, view);
        RuntimeEstimate estimate = runtimeEstimate(job, view);
        if (step == OVERDUE) {
            return Rank.fixed(level(job, step), job.fifoKeyMillis());
        }
        if (step == PROBE) {
            long knownAt = estimate == null ? Plan.NEVER : JobOrder.estimateExpiresMillis(job, view, estimate);
            return new Rank(level(job, step), job.fifoKeyMillis(), 0, knownAt);
        }
        if (estimate != null && estimate.isCertain()) {
            return ShortestOrder.decreasingRank(
                    level(job, step), estimate.workPerCompletionMillis(), weight(job, view), job, view);
        }
        if (estimate != null) {
            return new Rank(
                    level(job, step), service(job, view), 0, JobOrder.estimateExpiresMillis(job, view, estimate));
        }
        if (lifetimes.isExact()) {
            return ShortestOrder.decreasingRank(
                    level(job, step), view.remainingMillis(job), weight(job, view), job, view);
        }
        double total = expectedTotalMillis(job, view);
        double age = provenWorkMillis(job, view) / total;
        double next = lifetimes.nextBoundary(age) * total - job.doneWorkMillis(view.nowMillis());
        return new Rank(level(job, step), service(job, view), 0, JobOrder.afterWorkMillis(job, view, next));
    }

    /** The group of a job, waiting or running alike: else it would be preempted for a job that was preempted for it. */
    private int step(JobView job, View view) {
        if (trialsFirst && job.job().jobClass() == JobClass.TRIAL) {
            return TRIAL;
        }
        if (probes.contains(job)) {
            if (isProbe(job, view)) {
                return PROBE;
            }
            probes.release(job.id());
        }
        return overdue.contains(job) ? OVERDUE : NORMAL;
    }

    /** Whether running the job for a while would show how long it runs, and it could be preempted then without a loss. */
    private boolean isProbe(JobView job, View view) {
        RuntimeEstimate estimate = runtimeEstimate(job, view);
        return estimate != null
                && estimate.knownAfterWorkMillis() > job.doneWorkMillis(view.nowMillis())
                && estimate.knownAfterWorkMillis() != Plan.NEVER
                && ways.keepsWork(job);
    }

    @Override
    public void observe(JobView job, View view) {
        learns |= !view.isEstimated(job);
        if (learns) {
            ownHistory.observe(job, view.nowMillis());
        }
    }

    /** What is known of a job beyond one number; of a job that nothing is known of, what ended jobs taught. */
    private @Nullable RuntimeEstimate runtimeEstimate(JobView job, View view) {
        RuntimeEstimate estimate = view.runtimeEstimate(job);
        return estimate == null && learns && !view.isEstimated(job)
                ? ownHistory.runtimeEstimate(job, view.nowMillis())
                : estimate;
    }

    @Override
    public void observeSubmission(JobView job, View view) {
        rehearsal.observeSubmission(job);
        fairFinish.join(job.id(), job.job().demand().minGpus(), maxWorkMillis(job, view));
        if (isProbe(job, view)) {
            probes.addCandidate(job.id());
        }
    }

    /** The work that a job is not expected to exceed: while it has not done that much, it is not late. */
    private double maxWorkMillis(JobView job, View view) {
        long done = job.doneWorkMillis(view.nowMillis());
        RuntimeEstimate estimate = runtimeEstimate(job, view);
        double total;
        if (estimate != null) {
            total = estimate.isCertain()
                    ? estimate.meanTotalMillis()
                    : Math.max(estimate.meanTotalMillis(), estimate.totalQuantileMillis(done, HIGH));
        } else {
            total = lifetimes.isExact()
                    ? done + view.remainingMillis(job)
                    : Math.max(2.0 * provenWorkMillis(job, view), UNCERTAINTY_FACTOR * expectedTotalMillis(job, view));
        }
        return Math.max(MIN_RUNTIME_MILLIS, maxSlowdown * total);
    }

    @Override
    public RankedJobs.Reranking rerank(View view) {
        fairFinish
                .advance(view.nowMillis(), view.gpusUp(), id -> {
                    JobView job = view.job(id);
                    return job == null ? 0 : maxWorkMillis(job, view);
                })
                .forEach(overdue::addCandidate);
        List<JobView> admitted = new ArrayList<>(probes.admit(view));
        admitted.addAll(overdue.admit(view));
        boolean all = rehearsal.followWidestGang(view) || rehearsed;
        rehearsed = false;
        long learned = ownHistory.version(view.nowMillis());
        all |= learned != ownVersion;
        ownVersion = learned;
        return all || !admitted.isEmpty() ? new RankedJobs.Reranking(all, admitted) : RankedJobs.Reranking.NONE;
    }

    /** A job that runs is left in peace for as long as saving and loading it again would take. */
    @Override
    public long protectedUntilMillis(JobView job, long nowMillis) {
        return job.runningMillis() + ways.peaceMillis(job);
    }

    /** Rehearsals take milliseconds, so no decision waits for one: the next follows what it finds. */
    @Override
    public void prepare(View view) {
        rehearsed |= rehearsal.update(view, job -> remainingMillis(job, view));
    }

    @Override
    public OrderChoice orderChoice() {
        return rehearsal.choice();
    }

    @Override
    public List<Long> memory() {
        return rehearsal.memory();
    }

    @Override
    public void restoreMemory(List<Long> values) {
        rehearsal.restoreMemory(values);
    }

    @Override
    public boolean blocksOthers(Rank rank) {
        return Math.floorMod(rank.level(), LEVELS) == OVERDUE;
    }

    private static int level(JobView job, int step) {
        return LEVELS * JobOrder.priorityLevel(job) + step;
    }

    private long service(JobView job, View view) {
        return remainingMillis(job, view) * ShortestOrder.UNIT * weight(job, view);
    }

    private long weight(JobView job, View view) {
        return ShortestOrder.weight(job, rehearsal.exponent(), view.topology().gpuCount());
    }

    @Override
    public long remainingMillis(JobView job, View view) {
        RuntimeEstimate estimate = runtimeEstimate(job, view);
        if (estimate != null) {
            return estimate.workPerCompletionMillis();
        }
        if (lifetimes.isExact()) {
            return view.remainingMillis(job);
        }
        double total = expectedTotalMillis(job, view);
        double age = provenWorkMillis(job, view) / total;
        return Math.max(1, Math.round(Math.min(MAX_HORIZON_MILLIS, lifetimes.remaining(age) * total)));
    }

    @Override
    public RuntimeEstimate.Quantum bestQuantum(JobView job, View view, double completionValueMillis) {
        RuntimeEstimate estimate = runtimeEstimate(job, view);
        if (estimate == null) {
            return JobOrder.super.bestQuantum(job, view, completionValueMillis);
        }
        return probes.contains(job) && isProbe(job, view)
                ? probeQuantum(estimate, job.doneWorkMillis(view.nowMillis()), completionValueMillis)
                : estimate.bestQuantum(completionValueMillis);
    }

    /**
     * What a probe is worth: once its run time is known, the job runs on where that is short enough to gain, and leaves
     * otherwise.
     */
    private static RuntimeEstimate.Quantum probeQuantum(RuntimeEstimate estimate, long doneMillis, double valueMillis) {
        double completes = 0;
        double work = 0;
        for (int i = 0; i < RUNTIME_SAMPLES; i++) {
            double left = estimate.totalQuantileMillis(doneMillis, (i + 0.5) / RUNTIME_SAMPLES) - doneMillis;
            boolean ends = left <= valueMillis;
            completes += ends ? 1 : 0;
            work += ends ? left : Math.min(left, (double) (estimate.knownAfterWorkMillis() - doneMillis));
        }
        return new RuntimeEstimate.Quantum(completes / RUNTIME_SAMPLES, work / RUNTIME_SAMPLES);
    }

    /** Work that was lost has still shown that the job does not end in it. */
    private static long provenWorkMillis(JobView job, View view) {
        return Math.max(job.peakWorkMillis(), job.doneWorkMillis(view.nowMillis()));
    }

    private record InitialEstimate(long declaredMillis, long totalMillis) {}

    /** Recomputed only when its declared time changes: during an attempt its progress is not known exactly. */
    private long expectedTotalMillis(JobView job, View view) {
        long declared = job.job().declaredMillis();
        InitialEstimate known = initialEstimates.get(job.id());
        if (known == null || known.declaredMillis != declared) {
            known = new InitialEstimate(declared, view.remainingMillis(job) + job.doneWorkMillis(view.nowMillis()));
            initialEstimates.put(job.id(), known);
        }
        return known.totalMillis;
    }

    @Override
    public boolean observeEnd(JobView job, View view) {
        fairFinish.leave(job.id());
        overdue.release(job.id());
        probes.release(job.id());
        rehearsal.observeEnd(job, view);
        InitialEstimate total = initialEstimates.remove(job.id());
        if (total == null || job.state() != JobState.COMPLETED) {
            return false;
        }
        return lifetimes.learn((double) job.doneWorkMillis(view.nowMillis()) / total.totalMillis);
    }
}
