package dev.fermata.core.policy.loop;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The one loop that every composed policy shares: take waiting jobs from the most deserving on; start each where the
 * placement finds room; else let the preemption make room; else let it wait, with all others of its demand.
 *
 * <p>Jobs are met in rank order and a victim always ranks after its beneficiary, so one pass reaches the same set of
 * running jobs as sorting everybody and filling the cluster from the top, at the cost of what changed.
 */
public final class Composed implements Policy {
    /** How many victims one decision takes back; beyond that the plan stands as it is. */
    private static final int MAX_SPARED = 32;

    private final Order order;
    private final Placement placement;
    private final @Nullable Preemption preemption;
    private final boolean blocking;
    private @Nullable Book book;
    /** Jobs that another policy served in a row before this one went on. */
    private long servedBefore;

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
        if (!notes.waiting().anyUnblocked(notes.version(view), headMatters())) {
            return new Plan(List.of(), List.of(), notes.nextDueMillis());
        }
        Set<Entry> spared = Set.of();
        List<Verdict> verdicts = new ArrayList<>();
        while (true) {
            Pass pass = new Pass(view, notes, spared, verdicts);
            Entry wronged = pass.run();
            if (wronged == null) {
                return new Plan(pass.actions, verdicts, notes.nextDueMillis());
            }
            // asked to leave for one job, and then room came free by what another made: it need not leave at all
            spared = new HashSet<>(spared);
            spared.add(wronged);
            view.draft().rollback(0);
            pass.touched.forEach(entry -> notes.restore(entry, view));
        }
    }

    /** Whether another first job can change the answer for its kind: it may outrank somebody, or be another size. */
    private boolean headMatters() {
        return preemption != null || blocking;
    }

    /** Somebody whose turn it is: the first waiting job of a kind, or a victim who may find that there is room for him. */
    private record Turn(Entry entry, Waiting.@Nullable Kind kind) {}

    /** One walk through the waiting jobs, from the most deserving on. */
    private final class Pass {
        private final View view;
        private final Book notes;
        private final Set<Entry> spared;
        private final List<Turn> turns = new ArrayList<>();
        private final List<Action> actions = new ArrayList<>();
        private final List<Verdict> verdicts;
        private final List<Entry> touched = new ArrayList<>();
        private final List<Waiting.Kind> skipped = new ArrayList<>();
        private int hopelessGpus = Integer.MAX_VALUE;
        private long hopelessTypes;
        private boolean hostsMatter;

        /** @param verdicts for why jobs wait: what one walk found is not looked at again by the next */
        Pass(View view, Book notes, Set<Entry> spared, List<Verdict> verdicts) {
            this.view = view;
            this.notes = notes;
            this.spared = spared;
            this.verdicts = verdicts;
        }

        /** Answers a victim who could have stayed, or null when all is well. */
        @Nullable
        Entry run() {
            long version = notes.version(view);
            for (Waiting.Kind kind : notes.waiting().kinds()) {
                if (kind.blocked(version, headMatters())) {
                    skipped.add(kind);
                } else {
                    turns.add(new Turn(kind.first(), kind));
                }
            }
            Entry first = firstHeldBackFor();
            while (!turns.isEmpty()) {
                Turn turn = takeNext();
                if (first != null
                        && Entry.compareAt(first, turn.entry, view.nowMillis()) < 0
                        && wants(turn.entry, first)) {
                    continue;
                }
                if (turn.kind == null) {
                    if (fitsAfterAll(turn.entry)) {
                        return turn.entry;
                    }
                } else if (!serve(turn.entry, turn.kind)) {
                    if (blocking) {
                        break;
                    }
                    first = first == null && holds(turn.entry) ? turn.entry : first;
                }
            }
            return null;
        }

        /** Whether others must wait for this job: it is overdue, and could run if they did; it declines no free GPUs itself. */
        private boolean holds(Entry entry) {
            int least = entry.job().job().demand().minGpus();
            return order.holdsBack(entry.rank())
                    && Whys.mostAvailable(entry.job(), view.draft().space()) < least
                    && reach(entry) >= least;
        }

        /** Whether all that a job may run on is also wanted by the one others must wait for. */
        private boolean wants(Entry entry, Entry first) {
            return (entry.job().eligibleTypes() & ~first.job().eligibleTypes()) == 0;
        }

        /** The most deserving of those known not to fit whom nobody may overtake, or null. */
        private @Nullable Entry firstHeldBackFor() {
            Entry found = null;
            for (Waiting.Kind kind : skipped) {
                Entry head = kind.first();
                if (holds(head) && (found == null || Entry.compareAt(head, found, view.nowMillis()) < 0)) {
                    found = head;
                }
            }
            return found;
        }

        /** The most deserving of those in turn; there are only ever as many as kinds of demand and victims. */
        private Turn takeNext() {
            int best = 0;
            for (int i = 1; i < turns.size(); i++) {
                if (Entry.compareAt(turns.get(i).entry, turns.get(best).entry, view.nowMillis()) < 0) {
                    best = i;
                }
            }
            Turn last = turns.remove(turns.size() - 1);
            return best == turns.size() ? last : turns.set(best, last);
        }

        private boolean serve(Entry first, Waiting.Kind kind) {
            Action action = tryServe(first);
            if (action == null) {
                Reason why = Whys.firstReason(first, kind, view.draft().space(), placement.patience());
                boolean news = kind.block(notes.version(view), first, why);
                if (news || why == Reason.PREEMPTION_NOT_WORTH_IT) { // the ledger knows whether it is worth a line
                    verdicts.add(Whys.first(first, kind, view.draft().space(), placement.patience()));
                }
                return false;
            }
            actions.add(action);
            take(first);
            if (!kind.tree().isEmpty()) {
                turns.add(new Turn(kind.first(), kind));
            }
            return true;
        }

        private @Nullable Action tryServe(Entry entry) {
            Draft draft = view.draft();
            JobView job = entry.job();
            if (entry.kind() != null) {
                entry.kind().forgetWeighed();
            }
            if (hopeless(job)) {
                return null;
            }
            Allocation now = placement.place(draft.space(), job, Horizon.NOW);
            if (now != null) {
                draft.take(job, now);
                return new Action.Start(job.id(), now);
            }
            if (reach(entry) < job.job().demand().minGpus()) {
                hopelessTypes = job.eligibleTypes();
                hopelessGpus = job.job().demand().minGpus();
                return null;
            }
            Preemption.Answer answer =
                    preemption == null ? Preemption.NOBODY : preemption.makeRoom(view, notes, entry, placement, spared);
            if (answer instanceof Preemption.Room room) {
                evicted(room.victims(), entry);
                return room.action();
            }
            if (answer instanceof Preemption.NotWorthIt weighed && entry.kind() != null) {
                entry.kind().weighed(entry, weighed.victims(), weighed.gainMillis(), weighed.costMillis());
            }
            return null;
        }

        /** The most GPUs of one type it could get: those available, and those of all whom it may ask to leave. */
        private long reach(Entry entry) {
            long most = 0;
            Horizon horizon = preemption == null ? Horizon.NOW : Horizon.SOON;
            for (int type : entry.job().typesByPreference()) {
                long after = preemption == null ? 0 : notes.running().weightAfter(type, entry.rank(), view.nowMillis());
                most = Math.max(most, view.draft().space().available(type, horizon) + after);
            }
            return most;
        }

        /** Reach never grows along the walk: where fewer GPUs were out of reach, more are. Sharers need no free GPU. */
        private boolean hopeless(JobView job) {
            return job.job().demand().minGpus() >= hopelessGpus
                    && job.eligibleTypes() == hopelessTypes
                    && !placement.shares();
        }

        private void take(Entry entry) {
            notes.unlink(entry);
            touched.add(entry);
        }

        /** Those who leave may leave more than was needed: for themselves, or for others who had no hope before. */
        private void evicted(List<Entry> victims, Entry beneficiary) {
            hostsMatter |= beneficiary.job().job().demand().needsHost();
            for (Entry victim : victims) {
                take(victim);
                turns.add(new Turn(victim, null));
            }
            for (Waiting.Kind kind : skipped) {
                if (Entry.compareAt(kind.first(), beneficiary, view.nowMillis()) > 0) {
                    turns.add(new Turn(kind.first(), kind));
                }
            }
            skipped.clear();
        }

        private boolean fitsAfterAll(Entry victim) {
            // where a job insists on its place, room elsewhere would not have served it
            if (placement.consolidates() || hostsMatter || spared.size() == MAX_SPARED) {
                return false;
            }
            JobView job = victim.job();
            Allocation held = Objects.requireNonNull(job.allocation());
            int type = view.topology().typeOf(held.gpu(0));
            return view.draft().space().available(type, Horizon.SOON) >= held.size()
                    && placement.choose(view.draft().space(), job, type, held.size(), Horizon.SOON) != null;
        }
    }

    private Book book(View view) {
        Book current = book;
        if (current == null) {
            current = new Book(
                    view,
                    order,
                    placement.patience(),
                    new Book.Wants(blocking, placement.shares(), false, placement.consolidates()));
            current.goOnFrom(servedBefore);
            book = current;
        }
        return current;
    }

    @Override
    public long past() {
        return book == null ? servedBefore : book.servedInARow();
    }

    @Override
    public void goOnFrom(long past) {
        servedBefore = past;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        return Whys.explain(book(view), view, job, placement.patience());
    }
}
