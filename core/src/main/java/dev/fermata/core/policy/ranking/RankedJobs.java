package dev.fermata.core.policy.ranking;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The index of a policy: every live job with its rank, in the queue or among the running. It is updated from
 * the view's list of changes and from ranks that fall due; an unchanged job costs nothing.
 */
public final class RankedJobs {
    /** What the index needs from a policy's order about each job. */
    public interface Ranking {
        Rank waiting(JobView job, View view);

        Rank running(JobView job, View view);

        /** Until when a running job may not be preempted; {@link Plan#NEVER} for always. */
        long protectedUntilMillis(JobView job, long nowMillis);

        /** Whether loading jobs count among the running; they do where only expected ends matter. */
        boolean ranksStarting();

        /** How long a waiting job would hold GPUs at most, for backfilling. */
        long maxRunMillis(JobView job, View view);

        /** Something happened to a job: it was submitted, started, preempted, or it ended. */
        default void observe(JobView job, View view) {}

        /** A job was submitted, or is admitted again. */
        default void observeSubmission(JobView job, View view) {}

        /** A job ended, or is no longer admitted; orders may learn from a completed one. Returns whether every rank must be recomputed. */
        boolean observeEnd(JobView job, View view);

        /** Work for later decisions, between two of them; see {@link dev.fermata.core.contract.Policy#prepare}. */
        default void prepare(View view) {}

        /** Called once in each decision, after all that changed was observed. */
        default Reranking rerank(View view) {
            return Reranking.NONE;
        }
    }

    /** Jobs to be ranked again although nothing happened to them: all of them, or these. */
    public record Reranking(boolean all, List<JobView> jobs) {
        public static final Reranking NONE = new Reranking(false, List.of());
    }

    private record RerankTime(long atMillis, RankedJob entry, long stamp) {}

    private final Ranking ranking;
    private final LocalityTolerance tolerance;
    private final boolean needsEstimates;
    private final WaitingJobs waiting;
    private final RunningJobs running;
    private final List<@Nullable RankedJob> bySlot = new ArrayList<>();
    private final PriorityQueue<RerankTime> rerankTimes = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.atMillis, b.atMillis);
        return byTime != 0 ? byTime : Long.compare(a.entry.job.id(), b.entry.job.id());
    });
    private long version;
    private long decisions;
    private long changes;
    private long startsSinceIdle;
    /** Whether the count was restored from an instance that knew whether jobs waited. */
    private boolean startsRestored;

    private long estimateVersion;

    /** What a policy needs its index to keep beyond the ranks; see {@link WaitingJobs} and {@link RunningJobs}. */
    public record IndexOptions(boolean singleQueue, boolean sharing, boolean estimates, boolean victimsByNode) {}

    public RankedJobs(View view, Ranking ranking, IndexOptions indexOptions) {
        this(view, ranking, LocalityTolerance.NONE, indexOptions);
    }

    public RankedJobs(View view, Ranking ranking, LocalityTolerance tolerance, IndexOptions indexOptions) {
        this.ranking = ranking;
        this.tolerance = tolerance;
        this.needsEstimates = indexOptions.estimates;
        this.waiting = new WaitingJobs(indexOptions.singleQueue, indexOptions.sharing);
        this.running = new RunningJobs(view.topology(), indexOptions.victimsByNode);
    }

    public WaitingJobs waiting() {
        return waiting;
    }

    public RunningJobs running() {
        return running;
    }

    /** How many decisions began. */
    public long decisions() {
        return decisions;
    }

    /**
     * Grows with every change here. A job for which an action is planned is unlinked, so while this stays the same, and the
     * draft has as many steps, the same GPUs are available.
     */
    public long changes() {
        return changes;
    }

    /** Jobs that started since the queue was last empty. */
    public long startsSinceIdle() {
        return startsSinceIdle;
    }

    /** Continues the count of another instance; before the first update. */
    public void restoreStarts(long served) {
        startsSinceIdle = served;
        startsRestored = served > 0;
    }

    /** Grows whenever a job that did not fit might fit now: capacity appeared, or a job lost its rank or protection. */
    public long version(View view) {
        return version + view.capacityVersion();
    }

    /** When the next rank, protection or patience ends; never while no job waits for it. */
    public long nextDueMillis() {
        if (waiting.demandClasses().isEmpty()) {
            return Plan.NEVER;
        }
        for (RerankTime next = rerankTimes.peek(); next != null; next = rerankTimes.peek()) {
            if (isStale(next)) {
                rerankTimes.remove();
            } else {
                return next.atMillis;
            }
        }
        return Plan.NEVER;
    }

    public @Nullable RankedJob entry(JobView job) {
        return job.slot() < bySlot.size() ? bySlot.get(job.slot()) : null;
    }

    /** Applies what changed since the last decision and what fell due. */
    public void update(View view) {
        long estimates = view.estimateVersion(); // may grow at any time
        boolean redo = estimates != estimateVersion;
        estimateVersion = estimates;
        decisions++;
        changes++;
        boolean toleranceChanged = tolerance.update(view);
        boolean queueWasEmpty = waiting.demandClasses().isEmpty();
        for (JobView job : view.changedJobs()) {
            startsSinceIdle += newAttempts(job);
            ranking.observe(job, view);
            if (isGone(job, view)) {
                redo |= ranking.observeEnd(job, view);
            } else if (entry(job) == null) {
                ranking.observeSubmission(job, view);
            }
            index(job, view);
        }
        startsSinceIdle = queueWasEmpty && !startsRestored ? 0 : startsSinceIdle;
        startsRestored = false;
        for (RerankTime next = rerankTimes.peek();
                next != null && next.atMillis <= view.nowMillis();
                next = rerankTimes.peek()) {
            rerankTimes.remove();
            if (!isStale(next)) {
                if (next.entry.demandClass != null && next.entry.rank.recomputeAtMillis() <= view.nowMillis()) {
                    version++; // it ranks higher now and may get what it could not get before
                }
                index(next.entry.job, view);
            }
        }
        for (RankedJob overdueJob = running.overdue(view.nowMillis());
                overdueJob != null;
                overdueJob = running.overdue(view.nowMillis())) {
            index(overdueJob.job, view);
        }
        Reranking reranking = ranking.rerank(view);
        redo |= reranking.all;
        version += redo || !reranking.jobs.isEmpty() ? 1 : 0;
        for (JobView job : reranking.jobs) {
            index(job, view);
        }
        for (int slot = 0; (redo || toleranceChanged) && slot < bySlot.size(); slot++) {
            RankedJob entry = bySlot.get(slot);
            if (entry != null && (redo || entry.demandClass != null)) {
                index(entry.job, view);
            }
        }
    }

    /** Whether the view no longer has this job. */
    private static boolean isGone(JobView job, View view) {
        return job.state().isFinal() || !view.isAdmitted(job);
    }

    /** By attempts, not by state: a job may have loaded, or even ended, before the next decision. */
    private int newAttempts(JobView job) {
        RankedJob entry = entry(job);
        if (entry == null) {
            return 0;
        }
        int starts = job.attempt() - entry.attempt;
        entry.attempt = job.attempt();
        return starts;
    }

    private static boolean isStale(RerankTime next) {
        return next.entry.stamp != next.stamp;
    }

    /** Puts a job back that was unlinked in this decision. */
    public void restore(RankedJob entry, View view) {
        index(entry.job, view);
    }

    private void index(JobView job, View view) {
        changes++;
        RankedJob entry = entry(job);
        if (entry != null) {
            unlink(entry);
            entry.stamp++; // whatever was due for the old rank no longer is
        }
        if (isGone(job, view)) {
            if (entry != null) {
                bySlot.set(job.slot(), null);
            }
            return;
        }
        boolean runs = job.state() == JobState.RUNNING || (job.state() == JobState.STARTING && ranking.ranksStarting());
        boolean waits = view.isWaiting(job);
        if (!runs && !waits) {
            return; // loading or leaving: it competes with no job
        }
        Rank rank = runs ? ranking.running(job, view) : ranking.waiting(job, view);
        if (entry == null) {
            entry = new RankedJob(job, rank);
            while (bySlot.size() <= job.slot()) {
                bySlot.add(null);
            }
            bySlot.set(job.slot(), entry);
        }
        entry.rank = rank;
        entry.weight = job.gpus();
        long dueAt = rank.recomputeAtMillis();
        if (waits) {
            entry.estimateMillis = needsEstimates ? ranking.maxRunMillis(job, view) : 0;
            waiting.add(entry, tolerance.acceptedTier(job), tolerance.acceptedTypes(job), tolerance.acceptedStep(job));
            dueAt = Math.min(dueAt, tolerance.relaxesAtMillis(job));
        } else {
            dueAt = Math.min(dueAt, indexRunning(entry, view));
        }
        if (dueAt != Plan.NEVER) {
            // never in this very decision, which would never end
            rerankTimes.add(new RerankTime(Math.max(dueAt, view.nowMillis() + 1), entry, entry.stamp));
            if (rerankTimes.size() > 4 * bySlot.size() + 64) {
                rerankTimes.removeIf(RankedJobs::isStale); // most were overtaken by events long before they fell due
            }
        }
    }

    /** Puts a job among the possible victims, unless it is protected; returns until when. */
    private long indexRunning(RankedJob entry, View view) {
        long until = ranking.protectedUntilMillis(entry.job, view.nowMillis());
        if (!ranking.ranksStarting()) { // else there are no victims, and only expected ends matter
            boolean spent = entry.job.preemptions() >= entry.job.job().maxPreemptions();
            until = spent ? Plan.NEVER : Math.max(until, entry.job.preemptibleFromMillis());
        }
        if (until > view.nowMillis()) {
            return until;
        }
        Job job = entry.job.job();
        entry.vacateMillis = job.vacateMillis();
        entry.leaveAndReturnMillis = job.vacateMillis() + job.costs().reloadMillis();
        entry.savesWork = job.savesWithinGrace();
        entry.maySuspend = job.costs().suspend().possible();
        entry.trial = job.jobClass() == JobClass.TRIAL;
        running.add(entry, view.nowMillis());
        if (waiting.anyRankedBefore(entry, view.nowMillis())) {
            version++; // from now on it may be preempted
        }
        return Plan.NEVER;
    }

    /** Takes a job out of its queue for the rest of this decision; the next update puts it where it then belongs. */
    public void unlink(RankedJob entry) {
        changes++;
        if (entry.demandClass != null) {
            waiting.remove(entry);
        } else if (entry.tree != null) {
            running.remove(entry);
        }
    }
}
