package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import org.jspecify.annotations.Nullable;

/** At whose cost. */
public interface Preemption {
    /**
     * Who should leave so that this waiting job can start, or null. What it answers it has also done in the draft; when
     * it answers null the draft is as before.
     */
    @Nullable Result makeRoom(View view, Draft draft, Book book, Entry waiting, Placement placement);

    /** The action, and the entries of those who leave. */
    record Result(Action.Preempt action, java.util.List<Entry> victims) {}
}
