package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import java.util.Set;

/**
 * A waiting job may take the place of jobs that rank strictly after it, the least deserving first, and of no more of them
 * than it needs. Pausing is taken to be free: this is what SRTF, LAS and their kin do.
 *
 * <p>Costs O(log running) to see that it cannot be done, O(victims · log running) to do it; placements that insist on
 * one node cost O(nodes).
 */
public final class Outrank implements Preemption {

    @Override
    public Answer makeRoom(View view, Book book, Entry waiting, Placement placement, Set<Entry> spared) {
        for (int type : waiting.job().typesByPreference()) {
            VictimSearch search = new VictimSearch(view, book, waiting, type, placement, v -> !spared.contains(v));
            if (search.hopeful() && search.run()) {
                long id = waiting.job().id();
                return new Room(new Action.Preempt(id, search.place(), search.victimIds(), 0, 0), search.victims());
            }
        }
        return NOBODY;
    }
}
