package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.MoveAccount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Restarts running jobs of elastic size on more GPUs while GPUs are idle, where that shortens completion times by more than it
 * costs ({@link MoveAccount}). Waiting jobs are served first; a job grows onto GPUs that are free.
 *
 * <p>It looks when capacity appeared or a job may grow, at no more than {@value #MAX_EXAMINED} jobs, those that end first
 * before others, and lets no more than {@value #MAX_GROWN} grow in one decision. Without jobs of elastic size it costs nothing.
 */
final class ElasticGrowth {
    private static final int MAX_EXAMINED = 32;
    private static final int MAX_GROWN = 4;

    private final JobOrder order;
    private final Placement closest = new BestFit();
    private final TreeMap<Long, JobView> candidates = new TreeMap<>();
    private long seenVersion = -1;
    private long nextCheckMillis = Plan.NEVER;
    /** Up to which id candidates were examined last; the search goes on after it. */
    private long examinedId = -1;

    ElasticGrowth(JobOrder order) {
        this.order = order;
    }

    /** The plan, with the jobs added that grow. */
    Plan addGrowth(Plan plan, View view) {
        for (JobView job : view.changedJobs()) {
            observe(job, view);
        }
        if (candidates.isEmpty()) {
            nextCheckMillis = Plan.NEVER;
            return plan;
        }
        List<Action> grown = List.of();
        if (view.capacityVersion() != seenVersion || nextCheckMillis <= view.nowMillis()) {
            seenVersion = view.capacityVersion();
            nextCheckMillis = Plan.NEVER;
            grown = anyIdle(view) ? find(plan, view) : List.of();
        }
        if (grown.isEmpty() && nextCheckMillis >= plan.reconsiderAtMillis()) {
            return plan;
        }
        List<Action> actions = new ArrayList<>(plan.actions());
        actions.addAll(grown);
        return new Plan(
                actions, plan.declined(), plan.pendingReasons(), Math.min(plan.reconsiderAtMillis(), nextCheckMillis));
    }

    private void observe(JobView job, View view) {
        candidates.remove(job.id());
        Allocation held = job.allocation();
        if (job.state() == JobState.RUNNING
                && held != null
                && view.isAdmitted(job)
                && held.size() < job.job().demand().maxGpus()
                && RunningMoves.mayRestart(job, held)) {
            candidates.put(job.id(), job);
            nextCheckMillis = Math.min(nextCheckMillis, RunningMoves.movableFromMillis(job));
        }
    }

    private static boolean anyIdle(View view) {
        FreeCapacity capacity = view.draft().capacity();
        for (int type = 0; type < view.topology().types().size(); type++) {
            if (capacity.available(type, Horizon.NOW) > 0) {
                return true;
            }
        }
        return false;
    }

    private List<Action> find(Plan plan, View view) {
        Set<Long> busy = new HashSet<>();
        for (Action action : plan.actions()) {
            busy.addAll(action.victims());
            busy.add(action.jobId());
        }
        List<JobView> examined = new ArrayList<>();
        long from = examinedId; // those after the last examined one first
        for (NavigableMap<Long, JobView> part :
                List.of(candidates.tailMap(from, false), candidates.headMap(from, true))) {
            for (JobView job : part.values()) {
                long movable = RunningMoves.movableFromMillis(job);
                if (movable > view.nowMillis()) {
                    nextCheckMillis = Math.min(nextCheckMillis, movable);
                } else if (!busy.contains(job.id()) && examined.size() < MAX_EXAMINED) {
                    examined.add(job);
                    examinedId = job.id();
                }
            }
        }
        // what is idle goes to those that end first: others have it after them
        examined.sort(Comparator.comparingLong(
                        (JobView job) -> JobOrder.predictedEndMillis(job, view, order.remainingMillis(job, view)))
                .thenComparingLong(JobView::id));
        List<Action> found = new ArrayList<>();
        for (JobView job : examined) {
            Action growth = found.size() < MAX_GROWN ? tryGrow(job, view) : null;
            if (growth != null) {
                found.add(growth);
            }
        }
        return found;
    }

    private @Nullable Action tryGrow(JobView job, View view) {
        Allocation here = job.allocation();
        if (here == null || !hasForItself(here, view.draft().capacity())) {
            return null;
        }
        Draft draft = view.draft();
        int mark = draft.mark();
        draft.evict(job);
        Action.Move best = null;
        for (int type : job.typesByPreference()) {
            int most = Math.min(job.job().demand().maxGpus(), draft.capacity().available(type, Horizon.SOON));
            for (int size = most; size > here.size(); size = here.size() + (size - here.size()) / 2) {
                Allocation there = closest.choose(draft.capacity(), job, type, size, Horizon.SOON);
                if (there != null && RunningMoves.isFreeOrOwn(there, here, draft.capacity())) {
                    MoveAccount account = MoveAccount.ofAlone(view, order, job, here, there);
                    boolean better = best == null
                            || account.gainMillis() - account.costMillis() > best.gainMillis() - best.costMillis();
                    best = account.pays() && better
                            ? new Action.Move(job.id(), there, account.gainMillis(), account.costMillis())
                            : best;
                }
            }
            if (type == typeOf(here, view.topology())) {
                break; // the others are slower
            }
        }
        if (best == null) {
            draft.rollback(mark);
            return null;
        }
        draft.allocate(job, best.allocation());
        return best;
    }

    private static int typeOf(Allocation held, Topology topology) {
        return topology.typeOf(held.gpu(0));
    }

    private static boolean hasForItself(Allocation held, FreeCapacity capacity) {
        for (int i = 0; held.shared() && i < held.size(); i++) {
            if (capacity.jobsOn(held.gpu(i)) > 1) {
                return false;
            }
        }
        return true;
    }
}
