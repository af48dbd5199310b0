package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import java.util.List;
import java.util.Set;

/** At whose cost. */
public interface Preemption {
    /**
     * Who should leave so that this waiting job can start. What it answers with {@link Room} it has also done in the
     * draft; with any other answer the draft is as before. The spared are left in peace.
     */
    Answer makeRoom(View view, Book book, Entry waiting, Placement placement, Set<Entry> spared);

    /** What came of looking for room. */
    sealed interface Answer {}

    /** The action, and the entries of those who leave. */
    record Room(Action.Preempt action, List<Entry> victims) implements Answer {}

    /** Room could be made by so many leaving, but it would cost more job-milliseconds of completion time than it gains. */
    record NotWorthIt(int victims, long gainMillis, long costMillis) implements Answer {}

    /** Nobody who may be asked to leave would make room. */
    record Nobody() implements Answer {}

    Answer NOBODY = new Nobody();
}
