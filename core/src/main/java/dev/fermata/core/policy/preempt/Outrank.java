package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A waiting job may take the place of jobs that rank strictly after it, the least deserving first, and of no more of them
 * than it needs. Pausing is taken to be free: this is what SRTF, LAS and their kin do.
 *
 * <p>Costs O(log running) to see that it cannot be done, O(victims · log running) to do it; placements that insist on
 * one node cost O(nodes).
 */
public final class Outrank implements Preemption {

    @Override
    public @Nullable Result makeRoom(View view, Book book, Entry waiting, Placement placement, Set<Entry> spared) {
        for (int type : waiting.job().typesByPreference()) {
            Result result = makeRoomOn(type, view, book, waiting, placement, spared);
            if (result != null) {
                return result;
            }
        }
        return null;
    }

    private static @Nullable Result makeRoomOn(
            int type, View view, Book book, Entry waiting, Placement placement, Set<Entry> spared) {
        Draft draft = view.draft();
        int need = waiting.job().job().demand().minGpus();
        long soon = draft.space().available(type, Horizon.SOON);
        if (soon + book.running().weightAfter(type, waiting.rank(), view.nowMillis()) < need) {
            return null;
        }
        int mark = draft.mark();
        List<Entry> victims = placement.onOneNode(draft.space(), type, need)
                ? victimsOnOneNode(type, view, book, waiting, spared)
                : leastDeserving(type, view, book, waiting, placement, spared);
        Allocation found = victims == null ? null : evict(draft, mark, victims, waiting.job(), type, placement);
        if (victims == null || found == null) {
            draft.rollback(mark);
            return null;
        }
        found = dropSurplus(victims, found, draft, mark, waiting.job(), type, placement);
        draft.take(waiting.job(), found);
        List<Long> ids = victims.stream().map(v -> v.job().id()).toList();
        return new Result(new Action.Preempt(waiting.job().id(), found, ids, 0, 0), victims);
    }

    /** Evicts from the least deserving on until the job can be placed. */
    private static @Nullable List<Entry> leastDeserving(
            int type, View view, Book book, Entry waiting, Placement placement, Set<Entry> spared) {
        Draft draft = view.draft();
        int need = waiting.job().job().demand().minGpus();
        List<Entry> victims = new ArrayList<>();
        Running.WorstFirst walk = book.running().worstFirst(type, view.nowMillis());
        while (true) {
            boolean enough = draft.space().available(type, Horizon.SOON) >= need;
            if (enough && placement.placeOn(draft.space(), waiting.job(), type, Horizon.SOON) != null) {
                return victims;
            }
            Entry next = walk.next();
            while (next != null && !mayLeave(next, spared)) {
                next = walk.next();
            }
            if (next == null || !waiting.rank().before(next.rank(), view.nowMillis())) {
                return null;
            }
            draft.evict(next.job());
            victims.add(next);
        }
    }

    /** The node on which fewest jobs must leave; among equals the first. */
    private static @Nullable List<Entry> victimsOnOneNode(
            int type, View view, Book book, Entry waiting, Set<Entry> spared) {
        int need = waiting.job().job().demand().minGpus();
        long now = view.nowMillis();
        List<Entry> best = null;
        for (int node = 0; node < view.topology().nodes().size(); node++) {
            if (view.topology().node(node).type() != type) {
                continue;
            }
            int room = view.draft().space().onNode(node, Horizon.SOON);
            List<Entry> victims = new ArrayList<>();
            List<Entry> candidates = new ArrayList<>(book.running().onNode(node));
            candidates.removeIf(v -> !mayLeave(v, spared) || !waiting.rank().before(v.rank(), now));
            candidates.sort(Running.worstFirstOrder(now));
            for (Entry victim : candidates) {
                if (room >= need || (best != null && victims.size() + 1 >= best.size())) {
                    break;
                }
                room += gpusOnNode(victim.job(), node);
                victims.add(victim);
            }
            if (room >= need && (best == null || victims.size() < best.size())) {
                best = victims;
            }
        }
        return best;
    }

    private static int gpusOnNode(JobView job, int node) {
        Allocation held = job.allocation();
        return held == null ? 0 : held.gpusOnNode(node);
    }

    private static boolean mayLeave(Entry entry, Set<Entry> spared) {
        return !spared.contains(entry)
                && entry.job().preemptions() < entry.job().job().maxPreemptions();
    }

    private static @Nullable Allocation evict(
            Draft draft, int mark, List<Entry> victims, JobView job, int type, Placement placement) {
        draft.rollback(mark);
        for (Entry victim : victims) {
            draft.evict(victim.job());
        }
        return placement.placeOn(draft.space(), job, type, Horizon.SOON);
    }

    /** Lets every victim stay without whom the job still fits, the most deserving first. */
    private static Allocation dropSurplus(
            List<Entry> victims, Allocation found, Draft draft, int mark, JobView job, int type, Placement placement) {
        Allocation placed = found;
        int need = job.job().demand().minGpus();
        for (int i = victims.size() - 1; i >= 0 && victims.size() > 1; i--) {
            Entry spared = victims.get(i);
            if (draft.space().available(type, Horizon.SOON) - spared.job().gpus() < need) {
                continue;
            }
            victims.remove(i);
            Allocation without = evict(draft, mark, victims, job, type, placement);
            if (without == null) {
                victims.add(i, spared);
                evict(draft, mark, victims, job, type, placement);
            } else {
                placed = without;
            }
        }
        return placed;
    }
}
