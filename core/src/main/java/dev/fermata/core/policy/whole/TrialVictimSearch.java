package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.place.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One search for batch jobs to preempt so that a trial job can start. A result is also applied to the draft, and the victims
 * are no longer candidates; when it returns null, nothing has changed.
 */
final class TrialVictimSearch {
    private record ScoredVictim(VictimCandidate runningJob, double score) {
        static final Comparator<ScoredVictim> ORDER =
                Comparator.comparingDouble(ScoredVictim::score).thenComparingLong(s -> s.runningJob.id());
    }

    private final View view;
    private final Draft draft;
    private final VictimCandidates victimCandidates;
    private final Placement placement;
    private final JobView trial;
    private final int need;
    private final int mark;
    private final List<VictimCandidate> victims = new ArrayList<>();
    private @Nullable Allocation place;
    private int type;
    private boolean oneNode;

    TrialVictimSearch(View view, VictimCandidates victimCandidates, Placement placement, JobView trial) {
        this.view = view;
        this.draft = view.draft();
        this.victimCandidates = victimCandidates;
        this.placement = placement;
        this.trial = trial;
        this.need = trial.job().demand().minGpus();
        this.mark = draft.mark();
    }

    Action.@Nullable Preempt run(VictimChoice choice) {
        for (int candidate : trial.typesByPreference()) {
            selectType(candidate);
            tryPlace(); // the jobs that are leaving already may make enough room
            if (place != null) {
                return toAction();
            }
        }
        int[] types = Arrays.stream(trial.typesByPreference())
                .filter(this::isReachable)
                .toArray();
        if (types.length == 0) {
            return null; // before any candidate is scored: most waiting jobs end here
        }
        ToDoubleFunction<VictimCandidate> one = choice.scoreSingle(victimCandidates);
        for (int i = 0; one != null && i < types.length; i++) {
            selectType(types[i]);
            if (trySingle(one)) {
                return toAction();
            }
        }
        ToDoubleFunction<VictimCandidate> several = choice.scoreSeveral(view, trial);
        for (int candidate : types) {
            selectType(candidate);
            if (trySeveral(several)) {
                return toAction();
            }
        }
        return null;
    }

    private void selectType(int newType) {
        type = newType;
        oneNode = placement.requiresOneNode(draft.capacity(), trial, type, need);
    }

    /** Whether there would be GPUs enough, here or on some node, if all possible victims left. */
    private boolean isReachable(int candidate) {
        selectType(candidate);
        FreeCapacity capacity = draft.capacity();
        if (capacity.available(type, Horizon.SOON) + victimCandidates.gpusOnType(type) < need) {
            return false;
        }
        for (int node = 0; oneNode && node < capacity.topology().nodes().size(); node++) {
            if (capacity.topology().node(node).type() == type
                    && capacity.availableOnNode(node, Horizon.SOON) + victimCandidates.gpusOnNode(node) >= need) {
                return true;
            }
        }
        return !oneNode;
    }

    /** The best of the jobs that alone free enough. */
    private boolean trySingle(ToDoubleFunction<VictimCandidate> score) {
        PriorityQueue<ScoredVictim> queue = new PriorityQueue<>(ScoredVictim.ORDER);
        for (VictimCandidate runningJob : victimCandidates.onGpuType(type)) {
            if (runningJob.preemptible() && mightFit(runningJob.held(), true)) {
                queue.add(new ScoredVictim(runningJob, score.applyAsDouble(runningJob)));
            }
        }
        for (ScoredVictim next = queue.poll(); next != null; next = queue.poll()) {
            evict(next.runningJob);
            if (mightFit(next.runningJob.held(), false)) {
                tryPlace();
            }
            if (place != null) {
                return true;
            }
            undo();
        }
        return false;
    }

    /** By count of GPUs, and of CPU and RAM once it is out: may the trial fit where this job is? */
    private boolean mightFit(Allocation held, boolean stillThere) {
        FreeCapacity capacity = draft.capacity();
        if (capacity.available(type, Horizon.SOON) + (stillThere ? held.size() : 0) < need) {
            return false;
        }
        for (int k = 0; oneNode && k < held.nodeCount(); k++) {
            int node = held.node(k);
            boolean gpus = capacity.availableOnNode(node, Horizon.SOON) + (stillThere ? held.gpusOn(k) : 0) >= need;
            if (gpus
                    && (stillThere || capacity.hostCapacityFor(node, trial.job().demand(), Horizon.SOON) >= need)) {
                return true;
            }
        }
        return !oneNode;
    }

    /** Evicts one after the other until there is room, then lets every job stay that was not needed. */
    private boolean trySeveral(ToDoubleFunction<VictimCandidate> score) {
        List<ScoredVictim> candidates = new ArrayList<>();
        for (VictimCandidate runningJob : victimCandidates.onGpuType(type)) {
            if (runningJob.preemptible()) {
                candidates.add(new ScoredVictim(runningJob, score.applyAsDouble(runningJob)));
            }
        }
        PriorityQueue<ScoredVictim> queue = new PriorityQueue<>(Math.max(1, candidates.size()), ScoredVictim.ORDER);
        queue.addAll(candidates);
        for (ScoredVictim next = queue.poll(); next != null && place == null; next = queue.poll()) {
            evict(next.runningJob);
            if (mightFit(next.runningJob.held(), false)) {
                tryPlace();
            }
        }
        Allocation found = place;
        if (found == null) {
            undo();
            return false;
        }
        List<VictimCandidate> there = new ArrayList<>(victims);
        there.removeIf(v -> !sharesNode(v.held(), found));
        evictExactly(there);
        dropSurplus();
        return place != null;
    }

    private static boolean sharesNode(Allocation held, Allocation found) {
        for (int k = 0; k < held.nodeCount(); k++) {
            if (found.gpusOnNode(held.node(k)) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Lets every victim stay that the trial does not need, the last evicted first. */
    private void dropSurplus() {
        for (int i = victims.size() - 1; i >= 0 && victims.size() > 1; i--) {
            List<VictimCandidate> all = new ArrayList<>(victims);
            List<VictimCandidate> others = new ArrayList<>(victims);
            others.remove(i);
            evictExactly(others);
            if (place == null) {
                evictExactly(all);
            }
        }
    }

    private void evictExactly(List<VictimCandidate> chosen) {
        undo();
        chosen.forEach(this::evict);
        tryPlace();
    }

    private void evict(VictimCandidate victim) {
        draft.evict(victim.job());
        victims.add(victim);
    }

    private void undo() {
        draft.rollback(mark);
        victims.clear();
        place = null;
    }

    private void tryPlace() {
        place = draft.capacity().available(type, Horizon.SOON) < need
                ? null
                : placement.placeOn(draft.capacity(), trial, type, Horizon.SOON);
    }

    private Action.@Nullable Preempt toAction() {
        Allocation found = place;
        if (found == null) {
            return null;
        }
        draft.allocate(trial, found);
        victims.forEach(victimCandidates::remove);
        return new Action.Preempt(
                trial.id(), found, victims.stream().map(VictimCandidate::id).toList(), 0, 0);
    }
}
