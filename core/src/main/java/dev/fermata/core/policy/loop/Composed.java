package dev.fermata.core.policy.loop;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.preempt.Preemption;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import dev.fermata.core.policy.queue.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The one loop that every composed policy shares: take waiting jobs from the most deserving on; start each where the
 * placement finds room; else let the preemption make room; else let it wait, with all others of its demand.
 *
 * <p>Jobs are met in rank order and a victim always ranks after its beneficiary, so one pass reaches the same set of
 * running jobs as sorting everybody and filling the cluster from the top, at the cost of what changed.
 */
public final class Composed implements Policy {
    private final Order order;
    private final Placement placement;
    private final @Nullable Preemption preemption;
    private final boolean blocking;
    private @Nullable Book book;

    /** @param blocking nobody overtakes a job that does not fit */
    public Composed(Order order, Placement placement, @Nullable Preemption preemption, boolean blocking) {
        this.order = order;
        this.placement = placement;
        this.preemption = preemption;
        this.blocking = blocking;
    }

    @Override
    public Plan decide(View view) {
        Book notes = book(view);
        notes.update(view);
        List<Action> actions = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        PriorityQueue<Waiting.Kind> candidates = candidates(notes, view);
        for (Waiting.Kind kind = candidates.poll(); kind != null; kind = candidates.poll()) {
            Entry first = Objects.requireNonNull(kind.tree().first());
            Action action = serve(first, view, notes);
            if (action == null) {
                Verdict why = Whys.doesNotFit(first.job(), view.draft().space());
                kind.block(notes.version(view), first, why.reason());
                verdicts.add(why);
                if (blocking) {
                    break;
                }
            } else {
                actions.add(action);
                notes.unlink(first);
                if (!kind.tree().isEmpty()) {
                    candidates.add(kind);
                }
            }
        }
        return new Plan(actions, verdicts, notes.nextDueMillis());
    }

    /** Kinds of demand worth a look, the one with the most deserving first job first. */
    private PriorityQueue<Waiting.Kind> candidates(Book notes, View view) {
        long version = notes.version(view);
        PriorityQueue<Waiting.Kind> queue = new PriorityQueue<>(Waiting.byFirst());
        for (Waiting.Kind kind : notes.waiting().kinds()) {
            if (!kind.blocked(version, preemption != null || blocking)) {
                queue.add(kind);
            }
        }
        return queue;
    }

    private @Nullable Action serve(Entry entry, View view, Book notes) {
        Draft draft = view.draft();
        JobView job = entry.job();
        Allocation now = placement.place(draft.space(), job, Horizon.NOW);
        if (now != null) {
            draft.take(job, now);
            return new Action.Start(job.id(), now);
        }
        if (preemption == null) {
            return null;
        }
        Preemption.Result room = preemption.makeRoom(view, draft, notes, entry, placement);
        if (room == null) {
            return null;
        }
        room.victims().forEach(notes::unlink);
        return room.action();
    }

    private Book book(View view) {
        Book current = book;
        if (current == null) {
            current = new Book(view, order, blocking, false);
            book = current;
        }
        return current;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        return Whys.explain(book(view), view, job);
    }
}
