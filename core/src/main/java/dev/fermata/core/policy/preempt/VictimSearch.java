package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import dev.fermata.core.policy.queue.Running;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One search for a minimal set of outranked jobs on one GPU type whose leaving lets a waiting job in. When it succeeds the
 * draft shows the victims leaving and the place taken; when it fails the draft is as it was.
 */
final class VictimSearch {
    private final View view;
    private final Draft draft;
    private final Book book;
    private final Entry waiting;
    private final int type;
    private final Placement placement;
    private final Predicate<Entry> mayLeave;
    private final int need;
    private final int mark;
    private int most = Integer.MAX_VALUE;
    private final List<Entry> victims = new ArrayList<>();
    private @Nullable Allocation place;

    VictimSearch(View view, Book book, Entry waiting, int type, Placement placement, Predicate<Entry> mayLeave) {
        this.view = view;
        this.draft = view.draft();
        this.book = book;
        this.waiting = waiting;
        this.type = type;
        this.placement = placement;
        this.mayLeave = mayLeave;
        this.need = waiting.job().job().demand().minGpus();
        this.mark = draft.mark();
    }

    /** Gives up when it would take more than this many to leave before there is room. */
    VictimSearch atMost(int victimsTried) {
        most = victimsTried;
        return this;
    }

    /** Whether there are GPUs enough among those available and those of all whom it outranks. */
    boolean hopeful() {
        long soon = draft.space().available(type, Horizon.SOON);
        return soon + book.running().weightAfter(type, waiting.rank(), view.nowMillis()) >= need;
    }

    boolean run() {
        tryPlace(); // those who are leaving already may make enough room
        if (place == null) {
            if (placement.onOneNode(draft.space(), waiting.job(), type, need)) {
                fewestOnOneNode();
                if (place == null) {
                    evict(List.of());
                }
            }
            leastDeserving();
        }
        if (place == null) {
            draft.rollback(mark);
            return false;
        }
        dropSurplus();
        draft.take(waiting.job(), place());
        return true;
    }

    /** Whether the job can have this one's own place, or one that its leaving makes; if not, the draft is as it was. */
    boolean runWith(Entry single) {
        draft.rollback(mark);
        draft.evict(single.job());
        place = ownPlace(single);
        if (place == null) {
            tryPlace();
            place = place != null && gainsBy(single, place) ? place : null;
        }
        victims.clear();
        if (place == null) {
            draft.rollback(mark);
            return false;
        }
        victims.add(single);
        draft.take(waiting.job(), place());
        return true;
    }

    boolean found() {
        return place != null;
    }

    /** Whatever was found is let go: the draft is as it was. */
    void startOver() {
        draft.rollback(mark);
        victims.clear();
        place = null;
    }

    /** Whether a place has something of what this one leaves: a GPU, or CPU and RAM beside it. */
    private static boolean gainsBy(Entry single, Allocation place) {
        Allocation held = single.job().allocation();
        boolean host = single.job().job().demand().needsHost();
        for (int i = 0; held != null && i < held.size(); i++) {
            if (place.contains(held.gpu(i))) {
                return true;
            }
        }
        for (int k = 0; host && held != null && k < held.nodeCount(); k++) {
            if (place.gpusOnNode(held.node(k)) > 0) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Allocation ownPlace(Entry single) {
        Allocation held = single.job().allocation();
        for (int k = 0; held != null && !held.shared() && k < held.nodeCount(); k++) {
            int room = draft.space().hostRoom(held.node(k), waiting.job().job().demand(), Horizon.SOON);
            if (held.gpusOn(k) >= need && room >= need) {
                int[] gpus = new int[need];
                int count = 0;
                for (int i = 0; count < need; i++) {
                    if (view.topology().nodeOf(held.gpu(i)) == held.node(k)) {
                        gpus[count++] = held.gpu(i);
                    }
                }
                return Allocation.of(view.topology(), gpus, false);
            }
        }
        return null;
    }

    /** Those whom the job outranks, in no order that matters; whether they may leave is asked apart. */
    void forEachOutranked(Consumer<Entry> visitor) {
        book.running().forEachAfter(type, waiting.rank(), view.nowMillis(), visitor);
    }

    List<Entry> victims() {
        return victims;
    }

    List<Long> victimIds() {
        List<Long> ids = new ArrayList<>(victims.size());
        for (Entry victim : victims) {
            ids.add(victim.job().id());
        }
        return ids;
    }

    Allocation place() {
        return Objects.requireNonNull(place);
    }

    private void tryPlace() {
        place = draft.space().available(type, Horizon.SOON) < need
                ? null
                : placement.placeOn(draft.space(), waiting.job(), type, Horizon.SOON);
    }

    /** Evicts from the least deserving on until the job can be placed, or nobody is left whom it outranks. */
    private void leastDeserving() {
        Running.WorstFirst walk = book.running().worstFirst(type, view.nowMillis());
        while (place == null) {
            Entry next = walk.next();
            if (next == null || !outranked(next) || victims.size() == most) {
                return;
            }
            if (mayLeave(next)) {
                draft.evict(next.job());
                victims.add(next);
                tryPlace();
            }
        }
    }

    /** Evicts on the node where fewest must leave; among equals the first. */
    private void fewestOnOneNode() {
        Running running = book.running();
        IntUnaryOperator available = node -> draft.space().onNode(node, Horizon.SOON);
        List<Entry> best = null;
        for (int at = running.nextPosition(type, 0, need, available);
                at >= 0 && (best == null || best.size() > 1);
                at = running.nextPosition(type, at + 1, need, available)) {
            List<Entry> found = fewestOn(running.nodeAt(type, at));
            best = found != null && (best == null || found.size() < best.size()) ? found : best;
        }
        if (best != null) {
            evict(best);
        }
    }

    /** The least deserving residents of a node that together free what is missing there, or null. */
    private @Nullable List<Entry> fewestOn(int node) {
        int missing = need - draft.space().onNode(node, Horizon.SOON);
        List<Entry> residents = book.running().onNode(node);
        int freed = 0;
        for (int i = 0; i < residents.size() && freed < missing; i++) {
            Entry resident = residents.get(i);
            freed += outranked(resident) && mayLeave(resident) ? gpusOn(node, resident.job()) : 0;
        }
        if (missing <= 0 || freed < missing) {
            return null; // with GPUs enough it is CPU or RAM that is missing here
        }
        List<Entry> candidates = new ArrayList<>(residents);
        candidates.removeIf(v -> !mayLeave(v) || !outranked(v));
        candidates.sort(Running.worstFirstOrder(view.nowMillis()));
        List<Entry> found = new ArrayList<>();
        for (int i = 0; missing > 0; i++) {
            found.add(candidates.get(i));
            missing -= gpusOn(node, candidates.get(i).job());
        }
        return found;
    }

    /** Lets every victim stay without whom the job still fits, the most deserving first. */
    private void dropSurplus() {
        for (int i = victims.size() - 1; i >= 0 && victims.size() > 1; i--) {
            Entry stays = victims.get(i);
            int without =
                    draft.space().available(type, Horizon.SOON) - stays.job().gpus();
            if (without >= need || placement.shares()) { // on a shared GPU his leaving may free nothing
                Allocation before = place;
                List<Entry> others = new ArrayList<>(victims);
                others.remove(i);
                evict(others);
                if (place == null) {
                    others.add(i, stays);
                    evict(others);
                    place = before;
                }
            }
        }
    }

    /** Starts over with exactly these victims. */
    private void evict(List<Entry> chosen) {
        draft.rollback(mark);
        victims.clear();
        victims.addAll(chosen);
        for (Entry victim : victims) {
            draft.evict(victim.job());
        }
        tryPlace();
    }

    private boolean outranked(Entry running) {
        return waiting.rank().before(running.rank(), view.nowMillis());
    }

    boolean mayLeave(Entry running) {
        JobView job = running.job();
        return job.preemptions() < job.job().maxPreemptions() && mayLeave.test(running);
    }

    private static int gpusOn(int node, JobView job) {
        Allocation held = job.allocation();
        return held == null ? 0 : held.gpusOnNode(node);
    }
}
