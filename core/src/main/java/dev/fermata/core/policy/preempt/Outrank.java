package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
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
        int need = waiting.job().job().demand().minGpus();
        for (int type : waiting.job().typesByPreference()) {
            long soon = view.draft().space().available(type, Horizon.SOON);
            if (soon + book.running().weightAfter(type, waiting.rank(), view.nowMillis()) < need) {
                continue;
            }
            VictimSearch search = new VictimSearch(view, book, waiting, type, placement, spared);
            if (search.run()) {
                return result(waiting, search);
            }
        }
        return null;
    }

    private static Result result(Entry waiting, VictimSearch search) {
        List<Long> ids = new ArrayList<>(search.victims().size());
        for (Entry victim : search.victims()) {
            ids.add(victim.job().id());
        }
        Action.Preempt action = new Action.Preempt(waiting.job().id(), search.place(), ids, 0, 0);
        return new Result(action, search.victims());
    }
}
