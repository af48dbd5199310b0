package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.loop.Whys;
import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.Division;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.policy.order.PatientOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.queue.Book;
import dev.fermata.core.policy.queue.Entry;
import dev.fermata.core.policy.queue.Patience;
import dev.fermata.core.policy.queue.Waiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Places waiting jobs together instead of one after the other: the first few of them and all free GPUs form a market, which
 * decides how many GPUs each elastic job gets and of which types. One job may get GPUs of several types; it splits its work
 * in proportion to their speed. Nobody is paused.
 *
 * <p>After Liu et al., "Sampling-Based Multi-Job Placement for Heterogeneous Deep Learning Clusters", IEEE TPDS 35(6), 2024,
 * which places a given set of jobs once, all of them at the same time. Ours: the waiting jobs are taken set by set, shortest
 * first, and since others may follow when a job ends, only as many of a set start together as is best for the whole set
 * ({@link Lookahead}). A job that has waited for longer than its patience goes first, and what it may run on is kept for it
 * until it can start, so nobody starves.
 *
 * <p>A decision costs a market of at most {@code jobs} jobs ({@link SampledMarket}) for every set it can start, with
 * lookahead and elastic jobs one for every smaller set too; nothing while no GPU is free.
 */
public final class Jps implements Policy {
    private final int marketJobs;
    private final boolean lookahead;
    private final SampledMarket.Knobs knobs;
    private final PatientOrder order;
    private final Placement single = new BestFit();
    private final Clearing feasibility = Clearing.Way.JV.create();
    private @Nullable Book book;
    private @Nullable Holdings holdings;
    private boolean keeping;

    /**
     * @param marketJobs waiting jobs that are looked at together
     * @param lookahead start fewer of them where the others do better to wait for larger shares
     * @param patienceMillis after so long in the queue a job goes first; 0 never
     */
    public Jps(int marketJobs, boolean lookahead, SampledMarket.Knobs knobs, long patienceMillis) {
        this.marketJobs = marketJobs;
        this.lookahead = lookahead;
        this.knobs = knobs;
        this.order = new PatientOrder(patienceMillis);
    }

    private record Next(Waiting.Kind kind, Entry entry) {}

    @Override
    public Plan decide(View view) {
        Book notes = book(view);
        notes.update(view);
        holdings(view).update(view);
        Pass pass = new Pass(view, notes);
        // whoever GPUs are kept for may have gone, or his GPUs: that frees nothing, but it frees those who waited for
        // him
        if (keeping || notes.waiting().anyUnblocked(notes.version(view), true)) {
            pass.run();
            keeping = pass.keptTypes != 0;
        }
        return new Plan(pass.actions, pass.verdicts, notes.nextDueMillis());
    }

    /** One walk through the waiting jobs, from the most deserving on. */
    private final class Pass {
        private final View view;
        private final Book notes;
        private final PriorityQueue<Next> queue = new PriorityQueue<>((a, b) -> Waiting.compare(a.entry, b.entry));
        private final List<Next> chosen = new ArrayList<>();
        private final List<Action> actions = new ArrayList<>();
        private final List<Verdict> verdicts = new ArrayList<>();
        private final int[] alive;
        private long keptTypes;
        /** Somebody lost his place to those who start: whoever was refused for his sake may fit after all. */
        private boolean crowdedOut;

        Pass(View view, Book notes) {
            this.view = view;
            this.notes = notes;
            this.alive = alive(view);
        }

        void run() {
            do {
                crowdedOut = false;
                walk();
            } while (crowdedOut);
        }

        private void walk() {
            keptTypes = 0;
            for (Waiting.Kind kind : notes.waiting().kinds()) {
                queue.add(new Next(kind, kind.first()));
            }
            int[] free = free();
            while (!queue.isEmpty() && Arrays.stream(free).sum() > 0) {
                Next next = queue.remove();
                if (next.entry.job().job().demand().needsHost()) {
                    placeTogether(free);
                    free = free();
                    if (placeAlone(next.entry)) {
                        follow(next);
                        notes.unlink(next.entry);
                        free = free();
                    } else {
                        refuse(next);
                    }
                } else if (fits(next.entry.job(), free)) {
                    chosen.add(next);
                    follow(next);
                    if (chosen.size() == marketJobs) {
                        placeTogether(free);
                        free = free();
                    }
                } else if (keeps(next.entry, alive)) {
                    placeTogether(free);
                    refuse(next);
                    free = free();
                } else {
                    refuse(next);
                }
            }
            placeTogether(free);
            queue.forEach(this::refuse);
            queue.clear();
        }

        private int[] free() {
            Space space = view.draft().space();
            int[] free = new int[space.topology().types().size()];
            for (int t = 0; t < free.length; t++) {
                free[t] = (keptTypes >> t & 1) == 0 ? space.available(t, Horizon.NOW) : 0;
            }
            return free;
        }

        private void follow(Next next) {
            Entry after = next.kind.tree().firstShort(next.entry, Long.MAX_VALUE);
            if (after != null) {
                queue.add(new Next(next.kind, after));
            }
        }

        /** Its kind waits for capacity; who has lost his patience keeps all that he may run on from those behind him. */
        private void refuse(Next next) {
            JobView job = next.entry.job();
            if (keeps(next.entry, alive)) {
                keptTypes |= job.eligibleTypes();
            }
            Reason reason = Whys.reason(job, view.draft().space());
            if (next.kind.block(notes.version(view), next.entry, reason)) {
                verdicts.add(Whys.doesNotFit(job, view.draft().space()));
            }
        }

        /** Whether those chosen so far and this job can all have their least sizes. */
        private boolean fits(JobView job, int[] free) {
            int jobs = chosen.size() + 1;
            double[][] worth = new double[jobs][free.length];
            int[] sizes = new int[jobs];
            for (int i = 0; i < jobs; i++) {
                JobView one = i < chosen.size() ? chosen.get(i).entry.job() : job;
                sizes[i] = one.job().demand().minGpus();
                for (int t = 0; t < free.length; t++) {
                    worth[i][t] = (one.eligibleTypes() >> t & 1) == 0 ? Clearing.FORBIDDEN : 0;
                }
            }
            return feasibility.clear(worth, sizes, free, new int[jobs][free.length]);
        }

        /** CPU and RAM are not for sale in the market: such a job goes where it fits, on one type. */
        private boolean placeAlone(Entry entry) {
            for (int type : entry.job().typesByPreference()) {
                if ((keptTypes >> type & 1) == 0) {
                    Allocation found = single.placeOn(view.draft().space(), entry.job(), type, Horizon.NOW);
                    if (found != null) {
                        start(entry, found);
                        return true;
                    }
                }
            }
            return false;
        }

        /** Starts those chosen, as many at a time as is best for all of them. */
        private void placeTogether(int[] freeNow) {
            int[] free = freeNow;
            while (!chosen.isEmpty()) {
                List<JobView> jobs =
                        chosen.stream().map(Next::entry).map(Entry::job).toList();
                GpuMarket market = new GpuMarket(view, jobs, free);
                Division division = together(market);
                List<Next> started = chosen.subList(0, division.jobs());
                for (int i = 0; i < started.size(); i++) {
                    start(started.get(i).entry, gather(jobs.get(i), division, i));
                    notes.unlink(started.get(i).entry);
                }
                started.clear();
                free = free();
                keepThoseWhoFit(free);
            }
        }

        private void keepThoseWhoFit(int[] free) {
            List<Next> rest = List.copyOf(chosen);
            chosen.clear();
            for (Next next : rest) {
                if (fits(next.entry.job(), free)) {
                    chosen.add(next);
                } else {
                    refuse(next);
                    crowdedOut = true;
                }
            }
        }

        private Allocation gather(JobView job, Division division, int row) {
            int[] gpus = new int[division.size(row)];
            int n = 0;
            for (int type : job.typesByPreference()) {
                int count = division.count(row, type);
                if (count > 0) {
                    Allocation part =
                            Objects.requireNonNull(single.choose(view.draft().space(), job, type, count, Horizon.NOW));
                    System.arraycopy(part.toArray(), 0, gpus, n, count);
                    n += count;
                }
            }
            return Allocation.of(view.topology(), gpus, false);
        }

        private void start(Entry entry, Allocation allocation) {
            view.draft().take(entry.job(), allocation);
            actions.add(new Action.Start(entry.job().id(), allocation));
        }
    }

    /** The division for the first few jobs after which all of them, the later ones included, end earliest. */
    private Division together(GpuMarket market) {
        // every job was chosen so that the least sizes can be had together
        Division best = Objects.requireNonNull(SampledMarket.place(market, knobs));
        if (!lookahead || market.jobs() == 1 || !market.elastic()) {
            return best;
        }
        double least = Lookahead.totalSeconds(market, best, market.jobs());
        for (int n = market.jobs() - 1; n > 0; n--) {
            Division few = Objects.requireNonNull(SampledMarket.place(market.first(n), knobs));
            double total = Lookahead.totalSeconds(market, few, n);
            if (total < least) {
                least = total;
                best = few;
            }
        }
        return best;
    }

    /** GPUs of each type that are alive: free, or held by a job. */
    private int[] alive(View view) {
        int[] alive = new int[view.topology().types().size()];
        for (int t = 0; t < alive.length; t++) {
            alive[t] = view.space().available(t, Horizon.NOW) + holdings(view).of(t);
        }
        return alive;
    }

    /** Whether a waiting job keeps GPUs from others: out of patience, and enough are alive to wait for. */
    private static boolean keeps(Entry entry, int[] alive) {
        if (!PatientOrder.impatient(entry.rank())) {
            return false;
        }
        Demand demand = entry.job().job().demand();
        int reach = 0;
        for (int type : entry.job().typesByPreference()) {
            // with CPU or RAM to find beside them, its GPUs are of one type
            reach = demand.needsHost() ? Math.max(reach, alive[type]) : reach + alive[type];
        }
        return reach >= demand.minGpus();
    }

    private Holdings holdings(View view) {
        Holdings current = holdings;
        if (current == null) {
            current = new Holdings(view.topology());
            holdings = current;
        }
        return current;
    }

    private Book book(View view) {
        Book current = book;
        if (current == null) {
            current = new Book(view, order, new Book.Wants(false, false, false, false));
            book = current;
        }
        return current;
    }

    @Override
    public Verdict explain(View view, JobView job) {
        Book notes = book(view);
        Verdict plain = Whys.explain(notes, view, job, Patience.NONE);
        boolean room = plain.reason() == Reason.FRAGMENTED || plain.reason() == Reason.HOST_RESOURCES;
        JobView ahead = room ? keeper(notes, view) : null;
        return ahead == null || ahead.id() == job.id()
                ? plain
                : new Verdict(job.id(), Reason.RESERVATION, plain.needed(), plain.available(), ahead.id(), -1);
    }

    /** The job for which GPUs are kept, or null. */
    private @Nullable JobView keeper(Book notes, View view) {
        holdings(view)
                .update(view); // what started since the last decision holds GPUs too; telling it twice does no harm
        int[] alive = alive(view);
        JobView found = null;
        Entry best = null;
        for (Waiting.Kind kind : notes.waiting().kinds()) {
            Entry first = kind.first();
            if (keeps(first, alive) && (best == null || Waiting.compare(first, best) < 0)) {
                best = first;
                found = first.job();
            }
        }
        return found;
    }
}
