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
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.CoLocatedJobs;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.MoveAccount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Moves running jobs to better places when that shortens their completion time by more than it costs ({@link MoveAccount}).
 * A better place is closer together, of a faster type, or one that it has for itself instead of sharing it. Waiting jobs are
 * served first; a job moves to GPUs that are free or its own.
 *
 * <p>It looks when capacity appeared or a job may move again, at no more than {@value #MAX_EXAMINED} jobs, and moves no more
 * than {@value #MAX_MOVES} in one decision. Only jobs that could be better placed are kept, so where all places are alike
 * it costs nothing.
 */
public final class RunningMoves {
    private static final int MAX_EXAMINED = 32;
    private static final int MAX_MOVES = 4;

    /** For larger gangs it is not worked out on how many nodes they would be faster. */
    private static final int MAX_SHAPED_GANG = 64;

    /** A job runs this many times its pause and load before it moves: moves never take more than a tenth of its time. */
    private static final int MIN_RUN_FACTOR = 9;

    private final JobOrder order;
    private final Placement closest = new BestFit();
    private @Nullable CoLocatedJobs coLocated;
    private final TreeMap<Long, Candidate> candidates = new TreeMap<>();
    private long seenVersion = -1;
    private long nextCheckMillis = Plan.NEVER;
    /** Up to which id candidates were examined last; the search goes on after it. */
    private long examinedId = -1;

    /** A running job that could be better placed. */
    private static final class Candidate {
        final JobView job;
        /** By number of nodes, how fast it would be at most on so many or more, on other GPUs of its type. */
        long @Nullable [] fastest;

        /** How fast it is where it runs, by the model; known when the others are. */
        long speedHereMicro;

        Candidate(JobView job) {
            this.job = job;
        }
    }

    public RunningMoves(JobOrder order) {
        this.order = order;
    }

    /** The plan, with the moves added that pay. */
    Plan addMoves(Plan plan, View view) {
        CoLocatedJobs known = coLocated;
        if (known == null) {
            known = new CoLocatedJobs(view.topology(), gpu -> {});
            coLocated = known;
        }
        known.update(view);
        for (JobView job : view.changedJobs()) {
            observe(job, view, known);
        }
        if (candidates.isEmpty()) {
            nextCheckMillis = Plan.NEVER;
            return plan;
        }
        List<Action> moves = List.of();
        if (view.capacityVersion() != seenVersion || nextCheckMillis <= view.nowMillis()) {
            seenVersion = view.capacityVersion();
            nextCheckMillis = Plan.NEVER;
            moves = find(plan, view, known);
        }
        if (moves.isEmpty() && nextCheckMillis >= plan.reconsiderAtMillis()) {
            return plan;
        }
        List<Action> actions = new ArrayList<>(plan.actions());
        actions.addAll(moves);
        return new Plan(
                actions, plan.declined(), plan.pendingReasons(), Math.min(plan.reconsiderAtMillis(), nextCheckMillis));
    }

    private void observe(JobView job, View view, CoLocatedJobs known) {
        candidates.remove(job.id());
        Allocation held = job.allocation();
        if (job.state() == JobState.RUNNING
                && held != null
                && view.isAdmitted(job)
                && mayBePlacedBetter(job, held, view, known)) {
            candidates.put(job.id(), new Candidate(job));
            nextCheckMillis = Math.min(nextCheckMillis, movableFromMillis(job));
        }
    }

    /** Whether a running job may be restarted elsewhere for its own good: without loss of work, within its budget. */
    static boolean mayRestart(JobView job, Allocation held) {
        return !held.mixed()
                && !job.job().demand().isFractional()
                && job.job().savesWithinGrace()
                && job.preemptions() < job.job().maxPreemptions();
    }

    private static boolean mayBePlacedBetter(JobView job, Allocation held, View view, CoLocatedJobs known) {
        if (!mayRestart(job, held)) {
            return false;
        }
        Topology topology = view.topology();
        int type = topology.typeOf(held.gpu(0));
        boolean spread = job.job().profile().gradientMib() > 0
                && held.tier().compareTo(topology.tightest(type, held.size()).tier()) > 0;
        return spread || job.typesByPreference()[0] != type || shares(held, known);
    }

    private static boolean shares(Allocation held, CoLocatedJobs known) {
        for (int i = 0; held.shared() && i < held.size(); i++) {
            if (known.jobsOn(held.gpu(i)).size() > 1) {
                return true;
            }
        }
        return false;
    }

    /** Restarts of a job are so far apart that they never take more than a tenth of its time. */
    static long movableFromMillis(JobView job) {
        long settled = job.runningMillis() + MIN_RUN_FACTOR * job.job().preemptionOverheadMillis();
        return Math.max(settled, job.preemptibleFromMillis());
    }

    private List<Action> find(Plan plan, View view, CoLocatedJobs known) {
        Set<Long> busy = new HashSet<>();
        for (Action action : plan.actions()) {
            busy.addAll(action.victims());
            busy.add(action.jobId());
        }
        List<Action> found = new ArrayList<>();
        int examined = 0;
        long from = examinedId; // those after the last examined one first
        for (NavigableMap<Long, Candidate> part :
                List.of(candidates.tailMap(from, false), candidates.headMap(from, true))) {
            for (Candidate candidate : part.values()) {
                JobView job = candidate.job;
                long movable = movableFromMillis(job);
                if (movable > view.nowMillis()) {
                    nextCheckMillis = Math.min(nextCheckMillis, movable);
                } else if (!busy.contains(job.id())) {
                    if (examined == MAX_EXAMINED || found.size() == MAX_MOVES) {
                        return found;
                    }
                    examined++;
                    examinedId = job.id();
                    Action move = mayBeFaster(candidate, view, known) ? tryMove(job, view, known) : null;
                    if (move != null) {
                        found.add(move);
                    }
                }
            }
        }
        return found;
    }

    /**
     * Whether a move might pay. A job that has its GPUs for itself must become faster: on a faster type, or on as few nodes as
     * the GPUs available next to its own may allow.
     */
    private boolean mayBeFaster(Candidate candidate, View view, CoLocatedJobs known) {
        JobView job = candidate.job;
        Allocation here = job.allocation();
        if (here == null || here.size() > MAX_SHAPED_GANG || shares(here, known)) {
            return true;
        }
        int own = view.topology().typeOf(here.gpu(0));
        FreeCapacity capacity = view.draft().capacity();
        for (int type : job.typesByPreference()) {
            if (type == own) {
                break; // the others are slower
            }
            if (capacity.available(type, Horizon.SOON) >= here.size()) {
                return true;
            }
        }
        long[] fastest = candidate.fastest;
        if (fastest == null) {
            fastest = fastest(job, here, view.topology());
            candidate.fastest = fastest;
            candidate.speedHereMicro =
                    SpeedModel.speedAlone(job.job(), here, view.topology()).micro();
        }
        long speedHere = candidate.speedHereMicro;
        return MoveAccount.mayPay(view, order, job, speedHere, fastest[1])
                && MoveAccount.mayPay(view, order, job, speedHere, fastest[leastNodes(here, own, capacity)]);
    }

    private static long[] fastest(JobView job, Allocation here, Topology topology) {
        int type = topology.typeOf(here.gpu(0));
        long[] fastest = new long[here.size() + 1];
        long most = 0;
        for (int nodes = here.size(); nodes > 0; nodes--) {
            for (int racks = 1; racks <= Math.min(nodes, topology.racks().size()); racks++) {
                Shape shape = Shape.of(here.size(), nodes, racks);
                long speed = SpeedModel.speedAlone(job.job(), topology, type, here.size(), shape)
                        .micro();
                most = Math.max(most, speed);
            }
            fastest[nodes] = most;
        }
        return fastest;
    }

    /** No placement of as many GPUs is on fewer nodes, once the job has left its own. */
    private static int leastNodes(Allocation here, int type, FreeCapacity capacity) {
        int elsewhere = Math.max(0, capacity.previousAvailableCount(type, Integer.MAX_VALUE, Horizon.SOON));
        int[] onOwn = new int[here.nodeCount()];
        for (int k = 0; k < onOwn.length; k++) {
            onOwn[k] = here.gpusOn(k) + capacity.availableOnNode(here.node(k), Horizon.SOON);
        }
        Arrays.sort(onOwn);
        int missing = here.size();
        int nodes = 0;
        for (int k = onOwn.length - 1; missing > 0; nodes++) {
            missing -= k >= 0 && onOwn[k] >= elsewhere ? onOwn[k--] : elsewhere;
        }
        return nodes;
    }

    private @Nullable Action tryMove(JobView job, View view, CoLocatedJobs known) {
        Allocation here = job.allocation();
        if (here == null) {
            return null;
        }
        Draft draft = view.draft();
        int mark = draft.mark();
        draft.evict(job);
        Action.Move best = null;
        for (int type : job.typesByPreference()) {
            if (draft.capacity().available(type, Horizon.SOON) >= here.size()) {
                Allocation there = closest.choose(draft.capacity(), job, type, here.size(), Horizon.SOON);
                if (there != null && isFreeOrOwn(there, here, draft.capacity())) {
                    MoveAccount account = MoveAccount.of(view, order, job, here, there, known);
                    boolean better = best == null
                            || account.gainMillis() - account.costMillis() > best.gainMillis() - best.costMillis();
                    best = account.pays() && better
                            ? new Action.Move(job.id(), there, account.gainMillis(), account.costMillis())
                            : best;
                }
            }
            if (type == view.topology().typeOf(here.gpu(0))) {
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

    /** Whether nothing must leave these GPUs but the job itself. */
    static boolean isFreeOrOwn(Allocation there, Allocation here, FreeCapacity capacity) {
        for (int i = 0; i < there.size(); i++) {
            int own = here.contains(there.gpu(i)) ? 1 : 0;
            if (capacity.jobsOn(there.gpu(i)) != own) {
                return false;
            }
        }
        return true;
    }
}
