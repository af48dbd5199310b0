package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.loop.Whys;
import dev.fermata.core.policy.order.ArrivalOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import dev.fermata.core.policy.queue.Rank;
import dev.fermata.core.policy.queue.RankTree;
import dev.fermata.core.policy.queue.Waiting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * First come, first served with EASY backfilling: the first job that does not fit gets a reservation at the earliest time
 * enough GPUs will be free; others may start before it if they end by then, or use GPUs it will not need.
 *
 * <p>Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995. The reservation counts GPUs of one type (not their places).
 * O(kinds of demand · log jobs) a decision.
 */
public final class EasyBackfill implements Policy {
    /** The waiting head's claim: when it can start on which type, and how many GPUs it will leave over then. */
    private static final class Reservation {
        final Entry head;
        final int type;
        final long atMillis;
        long spare;

        Reservation(Entry head, int type, long atMillis, long spare) {
            this.head = head;
            this.type = type;
            this.atMillis = atMillis;
            this.spare = spare;
        }

        /** No claim: too many GPUs are down for the head to start at all, so nobody can delay it. */
        static Reservation none(Entry head) {
            return new Reservation(head, -1, Plan.NEVER, Long.MAX_VALUE);
        }

        /** Whether a job that starts now on this type, holding so many GPUs until then, leaves the claim whole. */
        boolean allows(int onType, int gpus, long endsMillis) {
            return onType != type || endsMillis <= atMillis || gpus <= spare;
        }
    }

    private record Candidate(Waiting.Kind kind, Entry entry) {}

    private final Placement placement;
    private @Nullable Book book;
    private long refusedHead = -1;
    private Reason refusedFor = Reason.NOT_YET_CONSIDERED;

    public EasyBackfill(Placement placement) {
        this.placement = placement;
    }

    @Override
    public Plan decide(View view) {
        Book notes = book(view);
        notes.update(view);
        Starts starts = new Starts(view, notes);
        Entry head = startInOrder(notes, view, starts);
        if (head == null) {
            return new Plan(starts.actions, List.of(), notes.nextDueMillis());
        }
        Verdict why = Whys.doesNotFit(head.job(), view.draft().space(), placement.patience());
        backfill(reserve(head, notes, view, starts), notes, view, starts);
        boolean news = head.job().id() != refusedHead || why.reason() != refusedFor;
        refusedHead = head.job().id();
        refusedFor = why.reason();
        return new Plan(starts.actions, news ? List.of(why) : List.of(), notes.nextDueMillis());
    }

    /** Jobs started in this decision: they hold GPUs already, but are not yet among the running. */
    private static final class Starts {
        private record Start(int type, int gpus, long endMillis) {}

        private final View view;
        private final Book notes;
        private final List<Action> actions = new ArrayList<>();
        private final List<Start> started = new ArrayList<>();

        Starts(View view, Book notes) {
            this.view = view;
            this.notes = notes;
        }

        void start(Entry entry, Allocation found) {
            view.draft().take(entry.job(), found);
            actions.add(new Action.Start(entry.job().id(), found));
            notes.unlink(entry);
            started.add(new Start(view.topology().typeOf(found.gpu(0)), found.size(), endMillis(entry, found)));
        }

        /** When a job would end if it started on these GPUs now. */
        long endMillis(Entry entry, Allocation found) {
            JobView job = entry.job();
            double pace =
                    (double) SpeedModel.alone(job.job(), found, view.topology()).micro() / Pace.UNIT;
            return view.nowMillis()
                    + job.job().costs().loadMillis(job.resumed())
                    + (long) Math.ceil(view.remainingMillis(job) / pace);
        }

        List<Start> on(int type) {
            return started.stream()
                    .filter(start -> start.type == type)
                    .sorted(Comparator.comparingLong(Start::endMillis))
                    .toList();
        }
    }

    /** Starts jobs in order of arrival; answers the first that does not fit. */
    private @Nullable Entry startInOrder(Book notes, View view, Starts starts) {
        PriorityQueue<Waiting.Kind> kinds = new PriorityQueue<>(Waiting.byFirst());
        kinds.addAll(notes.waiting().kinds());
        for (Waiting.Kind kind = kinds.poll(); kind != null; kind = kinds.poll()) {
            Entry first = kind.first();
            Allocation found = placement.place(view.draft().space(), first.job(), Horizon.NOW);
            if (found == null) {
                return first;
            }
            starts.start(first, found);
            if (!kind.tree().isEmpty()) {
                kinds.add(kind);
            }
        }
        return null;
    }

    /** The earliest time at which the head has enough GPUs of one type, counting on the estimates of those running. */
    private static Reservation reserve(Entry head, Book notes, View view, Starts starts) {
        int need = head.job().job().demand().minGpus();
        Reservation best = Reservation.none(head);
        for (int type : head.job().typesByPreference()) {
            int free = view.draft().space().available(type, Horizon.NOW);
            RankTree ends = notes.running().tree(type, 0);
            List<Starts.Start> started = starts.on(type);
            long at = earliest(need - free, ends, started, view.nowMillis());
            if (at < best.atMillis) {
                long freed = ends.weight() - ends.weightAfter(Rank.fixed(0, at), view.nowMillis());
                for (Starts.Start start : started) {
                    freed += start.endMillis <= at ? start.gpus : 0;
                }
                best = new Reservation(head, type, at, free + freed - need);
            }
        }
        return best;
    }

    /** When so many GPUs will have come free: by those running, and the first few, if any, of those just started. */
    private static long earliest(long missing, RankTree ends, List<Starts.Start> started, long now) {
        long best = Plan.NEVER;
        long left = missing;
        long since = now;
        for (int k = 0; k <= started.size(); k++) {
            Entry last = left <= 0 ? null : ends.reaching(left);
            if (left <= 0) {
                best = Math.min(best, since);
            } else if (last != null) {
                best = Math.min(best, Math.max(since, last.rank().base()));
            }
            if (k < started.size()) {
                left -= started.get(k).gpus;
                since = Math.max(since, started.get(k).endMillis);
            }
        }
        return best; // never: too many GPUs are down
    }

    private void backfill(Reservation claim, Book notes, View view, Starts starts) {
        PriorityQueue<Candidate> candidates = new PriorityQueue<>((a, b) -> Waiting.compare(a.entry, b.entry));
        for (Waiting.Kind kind : notes.waiting().kinds()) {
            offer(candidates, kind, null, claim, view);
        }
        for (Candidate next = candidates.poll(); next != null; next = candidates.poll()) {
            Entry entry = next.entry;
            if (entry == claim.head) {
                offer(candidates, next.kind, entry, claim, view);
                continue;
            }
            Allocation found = placement.place(view.draft().space(), entry.job(), Horizon.NOW);
            if (found == null) {
                continue; // nor will any other of its kind
            }
            int type = view.topology().typeOf(found.gpu(0));
            long ends = starts.endMillis(entry, found);
            if (claim.allows(type, found.size(), ends)) {
                if (type == claim.type && ends > claim.atMillis) {
                    claim.spare -= found.size();
                }
                starts.start(entry, found);
            }
            offer(candidates, next.kind, entry, claim, view);
        }
    }

    /** Puts up the next job of a kind, after {@code last}, that could start without delaying the claim. */
    private static void offer(
            PriorityQueue<Candidate> candidates,
            Waiting.Kind kind,
            @Nullable Entry last,
            Reservation claim,
            View view) {
        Entry sample = kind.tree().first();
        if (sample == null || !anyFree(sample.job(), view)) {
            return;
        }
        boolean anyLength = sample.job().job().demand().minGpus() <= claim.spare
                || (sample.job().eligibleTypes() & ~(1L << claim.type)) != 0;
        long limit = anyLength ? Long.MAX_VALUE : claim.atMillis - view.nowMillis();
        Entry next = kind.tree().firstShort(last, limit);
        if (next != null) {
            candidates.add(new Candidate(kind, next));
        }
    }

    private static boolean anyFree(JobView job, View view) {
        for (int type : job.typesByPreference()) {
            if (view.draft().space().available(type, Horizon.NOW)
                    >= job.job().demand().minGpus()) {
                return true;
            }
        }
        return false;
    }

    private Book book(View view) {
        Book current = book;
        if (current == null) {
            Book.Wants wants = new Book.Wants(false, placement.shares(), true, false);
            current = new Book(view, new ArrivalOrder(true), placement.patience(), wants);
            book = current;
        }
        return current;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        Book notes = book(view);
        Entry entry = notes.entry(job);
        if (entry == null || entry.kind() == null) {
            return Verdict.of(
                    job.id(), Reason.NOT_YET_CONSIDERED, job.job().demand().minGpus(), 0);
        }
        int ahead = notes.waiting().ahead(entry);
        Verdict fits = Whys.doesNotFit(job, view.space(), placement.patience());
        if (fits.available() < fits.needed() || ahead == 0) {
            return new Verdict(job.id(), fits.reason(), fits.needed(), fits.available(), ahead, fits.untilMillis());
        }
        Waiting.Kind first =
                notes.waiting().kinds().stream().min(Waiting.byFirst()).orElseThrow();
        long head = first.first().job().id();
        return new Verdict(job.id(), Reason.RESERVATION, fits.needed(), fits.available(), head, -1);
    }
}
