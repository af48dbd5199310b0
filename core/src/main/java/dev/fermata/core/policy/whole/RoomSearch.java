package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
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
 * One search for batch jobs that leave so that a trial job can start. What it answers it has also done in the draft, and
 * the victims are no longer among the residents; when it answers null, nothing has changed.
 */
final class RoomSearch {
    private record Scored(Resident resident, double score) {
        static final Comparator<Scored> ORDER =
                Comparator.comparingDouble(Scored::score).thenComparingLong(s -> s.resident.id());
    }

    private final View view;
    private final Draft draft;
    private final Residents residents;
    private final Placement placement;
    private final JobView trial;
    private final int need;
    private final int mark;
    private final List<Resident> victims = new ArrayList<>();
    private @Nullable Allocation place;
    private int type;
    private boolean oneNode;

    RoomSearch(View view, Residents residents, Placement placement, JobView trial) {
        this.view = view;
        this.draft = view.draft();
        this.residents = residents;
        this.placement = placement;
        this.trial = trial;
        this.need = trial.job().demand().minGpus();
        this.mark = draft.mark();
    }

    Action.@Nullable Preempt run(VictimChoice choice) {
        for (int candidate : trial.typesByPreference()) {
            on(candidate);
            tryPlace(); // those who are leaving already may make enough room
            if (place != null) {
                return done();
            }
        }
        int[] types =
                Arrays.stream(trial.typesByPreference()).filter(this::reachable).toArray();
        if (types.length == 0) {
            return null; // before anybody is scored: most jobs that wait end here
        }
        ToDoubleFunction<Resident> one = choice.one(residents);
        for (int i = 0; one != null && i < types.length; i++) {
            on(types[i]);
            if (oneIsEnough(one)) {
                return done();
            }
        }
        ToDoubleFunction<Resident> several = choice.several(view, trial);
        for (int candidate : types) {
            on(candidate);
            if (oneAfterTheOther(several)) {
                return done();
            }
        }
        return null;
    }

    private void on(int newType) {
        type = newType;
        oneNode = placement.onOneNode(draft.space(), trial, type, need);
    }

    /** Whether there would be GPUs enough, here or on some node, if all who may be asked to leave did. */
    private boolean reachable(int candidate) {
        on(candidate);
        Space space = draft.space();
        if (space.available(type, Horizon.SOON) + residents.gpusOnType(type) < need) {
            return false;
        }
        for (int node = 0; oneNode && node < space.topology().nodes().size(); node++) {
            if (space.topology().node(node).type() == type
                    && space.onNode(node, Horizon.SOON) + residents.gpusOnNode(node) >= need) {
                return true;
            }
        }
        return !oneNode;
    }

    /** The best of those whose leaving alone makes room. */
    private boolean oneIsEnough(ToDoubleFunction<Resident> score) {
        PriorityQueue<Scored> queue = new PriorityQueue<>(Scored.ORDER);
        for (Resident resident : residents.on(type)) {
            if (resident.mayLeave() && mightBeEnough(resident.held(), true)) {
                queue.add(new Scored(resident, score.applyAsDouble(resident)));
            }
        }
        for (Scored next = queue.poll(); next != null; next = queue.poll()) {
            evict(next.resident);
            if (mightBeEnough(next.resident.held(), false)) {
                tryPlace();
            }
            if (place != null) {
                return true;
            }
            undo();
        }
        return false;
    }

    /** By count of GPUs, and of CPU and RAM once he is out: may the trial fit where this job is? */
    private boolean mightBeEnough(Allocation held, boolean stillThere) {
        Space space = draft.space();
        if (space.available(type, Horizon.SOON) + (stillThere ? held.size() : 0) < need) {
            return false;
        }
        for (int k = 0; oneNode && k < held.nodeCount(); k++) {
            int node = held.node(k);
            boolean gpus = space.onNode(node, Horizon.SOON) + (stillThere ? held.gpusOn(k) : 0) >= need;
            if (gpus && (stillThere || space.hostRoom(node, trial.job().demand(), Horizon.SOON) >= need)) {
                return true;
            }
        }
        return !oneNode;
    }

    /** Asks one after the other until there is room, then lets everybody stay whose leaving was not needed. */
    private boolean oneAfterTheOther(ToDoubleFunction<Resident> score) {
        List<Scored> everybody = new ArrayList<>();
        for (Resident resident : residents.on(type)) {
            if (resident.mayLeave()) {
                everybody.add(new Scored(resident, score.applyAsDouble(resident)));
            }
        }
        PriorityQueue<Scored> queue = new PriorityQueue<>(Math.max(1, everybody.size()), Scored.ORDER);
        queue.addAll(everybody);
        for (Scored next = queue.poll(); next != null && place == null; next = queue.poll()) {
            evict(next.resident);
            if (mightBeEnough(next.resident.held(), false)) {
                tryPlace();
            }
        }
        Allocation found = place;
        if (found == null) {
            undo();
            return false;
        }
        List<Resident> there = new ArrayList<>(victims);
        there.removeIf(v -> !touches(v.held(), found));
        exactly(there);
        dropSurplus();
        return place != null;
    }

    private static boolean touches(Allocation held, Allocation found) {
        for (int k = 0; k < held.nodeCount(); k++) {
            if (found.gpusOnNode(held.node(k)) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Lets every victim stay without whom the trial still fits, the last asked first. */
    private void dropSurplus() {
        for (int i = victims.size() - 1; i >= 0 && victims.size() > 1; i--) {
            List<Resident> all = new ArrayList<>(victims);
            List<Resident> others = new ArrayList<>(victims);
            others.remove(i);
            exactly(others);
            if (place == null) {
                exactly(all);
            }
        }
    }

    private void exactly(List<Resident> chosen) {
        undo();
        chosen.forEach(this::evict);
        tryPlace();
    }

    private void evict(Resident victim) {
        draft.evict(victim.job());
        victims.add(victim);
    }

    private void undo() {
        draft.rollback(mark);
        victims.clear();
        place = null;
    }

    private void tryPlace() {
        place = draft.space().available(type, Horizon.SOON) < need
                ? null
                : placement.placeOn(draft.space(), trial, type, Horizon.SOON);
    }

    private Action.@Nullable Preempt done() {
        Allocation found = place;
        if (found == null) {
            return null;
        }
        draft.take(trial, found);
        victims.forEach(residents::remove);
        return new Action.Preempt(
                trial.id(), found, victims.stream().map(Resident::id).toList(), 0, 0);
    }
}
