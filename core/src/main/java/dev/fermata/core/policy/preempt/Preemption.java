package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** At whose cost. */
public interface Preemption {
    /**
     * Who should leave so that this waiting job can start, or null. What it answers it has also done in the draft; when
     * it answers null the draft is as before. The spared are left in peace.
     */
    @Nullable
    Result makeRoom(View view, Book book, Entry waiting, Placement placement, Set<Entry> spared);

    /** The action, and the entries of those who leave. */
    record Result(Action.Preempt action, List<Entry> victims) {}
}
