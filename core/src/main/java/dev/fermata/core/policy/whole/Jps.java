package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.composed.PendingReasons;
import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.Division;
import dev.fermata.core.policy.market.ExactMarket;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.policy.order.AgingOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.WaitingJobs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Places pending jobs together instead of one after the other. The first few of them and all free GPUs form a market,
 * which decides how many GPUs each elastic job gets and of which types. A job that splits its batch in proportion to
 * the speed of its GPUs may get several types. It never preempts.
 *
 * <p>After Liu et al., "Sampling-Based Multi-Job Placement for Heterogeneous Deep Learning Clusters", IEEE TPDS 35(6), 2024,
 * which places a given set of jobs once, all of them at the same time. Added here: the waiting jobs are taken set by set, shortest
 * first, and since others may follow when a job ends, only as many of a set start together as is best for the whole set
 * ({@link Lookahead}); where the set is small, the division is the best there is ({@link ExactMarket}). A job that has waited for longer than its patience goes first, and what it may run on is kept for it
 * until it can start, so no job starves.
 *
 * <p>A decision costs a market of at most {@code jobs} jobs ({@link SampledMarket}) for every set it can start, with
 * lookahead and elastic jobs one for every smaller set too; nothing while no GPU is free.
 */
public final class Jps implements Policy {
    private static final int WHOLE_GANGS_LIMIT = 20_000;

    private final int marketJobs;
    private final boolean lookahead;
    private final SampledMarket.SamplingOptions options;
    private final int exactLimit;
    private final AgingOrder order;
    private final Placement single = new BestFit();
    private final Clearing feasibility = Clearing.ClearingMethod.JV.create();
    private @Nullable RankedJobs rankedJobs;
    private @Nullable HeldGpus heldGpus;
    private boolean reserving;

    /**
     * @param marketJobs waiting jobs considered together
     * @param lookahead start fewer of them where the others do better to wait for larger shares
     * @param exactLimit placements and states up to which the best division is searched; 0 for samples alone
     * @param patienceMillis after so long in the queue a job goes first; 0 never
     */
    public Jps(
            int marketJobs,
            boolean lookahead,
            SampledMarket.SamplingOptions options,
            int exactLimit,
            long patienceMillis) {
        this.marketJobs = marketJobs;
        this.lookahead = lookahead;
        this.options = options;
        this.exactLimit = exactLimit;
        this.order = new AgingOrder(patienceMillis);
    }

    private record QueueHead(WaitingJobs.DemandClass demandClass, RankedJob entry) {}

    @Override
    public Plan decide(View view) {
        RankedJobs rankedJobs = rankedJobs(view);
        rankedJobs.update(view);
        heldGpus(view).update(view);
        MarketPass pass = new MarketPass(view, rankedJobs);
        // the job GPUs are kept for, or its GPUs, may be gone: that frees nothing, but the jobs behind it may fit
        if (reserving || rankedJobs.waiting().anyUnblocked(rankedJobs.version(view), true)) {
            pass.run();
            reserving = pass.reservedTypes != 0;
        }
        return new Plan(pass.actions, pass.pendingReasons, rankedJobs.nextDueMillis());
    }

    /** One pass over the waiting jobs in rank order. */
    private final class MarketPass {
        private final View view;
        private final RankedJobs rankedJobs;
        private final PriorityQueue<QueueHead> queue =
                new PriorityQueue<>((a, b) -> WaitingJobs.compare(a.entry, b.entry));
        private final List<QueueHead> chosen = new ArrayList<>();
        private final List<Action> actions = new ArrayList<>();
        private final List<PendingReason> pendingReasons = new ArrayList<>();
        private final int[] healthyGpus;
        private long reservedTypes;
        /** A kept job lost its place to jobs that start: jobs rejected for its sake may fit after all. */
        private boolean crowdedOut;
        /** Whether a job was considered that must have GPUs of one type. */
        private boolean wholeGangs;

        MarketPass(View view, RankedJobs rankedJobs) {
            this.view = view;
            this.rankedJobs = rankedJobs;
            this.healthyGpus = healthyGpus(view);
        }

        void run() {
            int before;
            do {
                crowdedOut = false;
                before = actions.size();
                walk();
                // gangs that do not split may leave more room than they were given in advance
            } while (crowdedOut || (wholeGangs && actions.size() > before));
        }

        private void walk() {
            reservedTypes = 0;
            for (WaitingJobs.DemandClass demandClass : rankedJobs.waiting().demandClasses()) {
                queue.add(new QueueHead(demandClass, demandClass.head()));
            }
            int[] free = free();
            while (!queue.isEmpty() && Arrays.stream(free).sum() > 0) {
                QueueHead next = queue.remove();
                if (next.entry.job().job().demand().needsHostResources()) {
                    placeTogether(free);
                    free = free();
                    if (placeAlone(next.entry)) {
                        enqueueNext(next);
                        rankedJobs.unlink(next.entry);
                        free = free();
                    } else {
                        block(next);
                    }
                } else if (fits(next.entry.job(), free)) {
                    chosen.add(next);
                    enqueueNext(next);
                    if (chosen.size() == marketJobs) {
                        placeTogether(free);
                        free = free();
                    }
                } else if (reservesGpus(next.entry, healthyGpus)) {
                    placeTogether(free);
                    block(next);
                    free = free();
                } else {
                    block(next);
                }
            }
            placeTogether(free);
            queue.forEach(this::block);
            queue.clear();
        }

        private int[] free() {
            FreeCapacity capacity = view.draft().capacity();
            int[] free = new int[capacity.topology().types().size()];
            for (int t = 0; t < free.length; t++) {
                free[t] = (reservedTypes >> t & 1) == 0 ? capacity.available(t, Horizon.NOW) : 0;
            }
            return free;
        }

        private void enqueueNext(QueueHead next) {
            RankedJob after = next.demandClass.tree().firstNotLongerThan(next.entry, Long.MAX_VALUE);
            if (after != null) {
                queue.add(new QueueHead(next.demandClass, after));
            }
        }

        /** Its class waits for capacity; a job beyond its patience keeps what it waits for from the jobs behind it. */
        private void block(QueueHead next) {
            JobView job = next.entry.job();
            if (reservesGpus(next.entry, healthyGpus)) {
                reservedTypes |= reservedTypesOf(job);
            }
            ReasonCode reason = PendingReasons.codeFor(job, view.draft().capacity());
            if (next.demandClass.block(rankedJobs.version(view), next.entry, reason)) {
                pendingReasons.add(PendingReasons.forUnfit(job, view.draft().capacity()));
            }
        }

        /** All types for a job that splits; else one that can hold it, or the others would drain for nothing. */
        private long reservedTypesOf(JobView job) {
            if (job.job().demand().splitsBatch()) {
                return job.eligibleTypes();
            }
            for (int type : job.typesByPreference()) {
                if (healthyGpus[type] >= job.job().demand().minGpus()) {
                    return 1L << type;
                }
            }
            return job.eligibleTypes();
        }

        /** Whether the chosen jobs and this one can all have their least sizes: whole gangs first, the others around them. */
        private boolean fits(JobView job, int[] free) {
            List<JobView> splitting = new ArrayList<>();
            int[] left = free.clone();
            for (int i = 0; i <= chosen.size(); i++) {
                JobView one = i < chosen.size() ? chosen.get(i).entry.job() : job;
                if (one.job().demand().splitsBatch()) {
                    splitting.add(one);
                } else {
                    wholeGangs = true;
                    int type = firstTypeWith(left, one);
                    if (type < 0) {
                        return false;
                    }
                    left[type] -= one.job().demand().minGpus();
                }
            }
            double[][] worth = new double[splitting.size()][free.length];
            int[] sizes = new int[splitting.size()];
            for (int i = 0; i < sizes.length; i++) {
                sizes[i] = splitting.get(i).job().demand().minGpus();
                for (int t = 0; t < free.length; t++) {
                    worth[i][t] = (splitting.get(i).eligibleTypes() >> t & 1) == 0 ? Clearing.FORBIDDEN : 0;
                }
            }
            return sizes.length == 0 || feasibility.clear(worth, sizes, left, new int[sizes.length][free.length]);
        }

        private int firstTypeWith(int[] left, JobView job) {
            for (int type : job.typesByPreference()) {
                if (left[type] >= job.job().demand().minGpus()) {
                    return type;
                }
            }
            return -1;
        }

        /** CPU and RAM are not for sale in the market: such a job goes where it fits, on one type. */
        private boolean placeAlone(RankedJob entry) {
            for (int type : entry.job().typesByPreference()) {
                if ((reservedTypes >> type & 1) == 0) {
                    Allocation found = single.placeOn(view.draft().capacity(), entry.job(), type, Horizon.NOW);
                    if (found != null) {
                        start(entry, found);
                        return true;
                    }
                }
            }
            return false;
        }

        /** Starts the chosen jobs, as many at a time as is best for all of them. */
        private void placeTogether(int[] freeNow) {
            int[] free = freeNow;
            while (!chosen.isEmpty()) {
                List<JobView> jobs = chosen.stream()
                        .map(QueueHead::entry)
                        .map(RankedJob::job)
                        .toList();
                GpuMarket market = new GpuMarket(view, jobs, free);
                Division division = divideBest(market);
                List<QueueHead> started = chosen.subList(0, division.jobs());
                for (int i = 0; i < started.size(); i++) {
                    start(started.get(i).entry, gather(jobs.get(i), division, i));
                    rankedJobs.unlink(started.get(i).entry);
                }
                started.clear();
                free = free();
                retainFitting(free);
            }
        }

        private void retainFitting(int[] free) {
            List<QueueHead> rest = List.copyOf(chosen);
            chosen.clear();
            for (QueueHead next : rest) {
                if (fits(next.entry.job(), free)) {
                    chosen.add(next);
                } else {
                    block(next);
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
                    Allocation part = Objects.requireNonNull(
                            single.choose(view.draft().capacity(), job, type, count, Horizon.NOW));
                    System.arraycopy(part.toArray(), 0, gpus, n, count);
                    n += count;
                }
            }
            return Allocation.of(view.topology(), gpus, false);
        }

        private void start(RankedJob entry, Allocation allocation) {
            view.draft().allocate(entry.job(), allocation);
            actions.add(new Action.Start(entry.job().id(), allocation));
        }
    }

    /** The division for the first few jobs after which all of them, the later ones included, end earliest. */
    private Division divideBest(GpuMarket market) {
        Division best = divide(market);
        for (int n = market.jobs() - 1; best == null; n--) {
            best = divide(market.first(n)); // too many placements to look at; a single job always has few
        }
        if (best.jobs() < market.jobs() || !lookahead || market.jobs() == 1 || !market.isElastic()) {
            return best;
        }
        double min = Lookahead.totalSeconds(market, best, market.jobs());
        for (int n = market.jobs() - 1; n > 0; n--) {
            Division few = divide(market.first(n));
            if (few == null) {
                continue;
            }
            double total = Lookahead.totalSeconds(market, few, n);
            if (total < min) {
                min = total;
                best = few;
            }
        }
        return best;
    }

    /** The best division found, or null when gangs that do not split make it too large a search. */
    private @Nullable Division divide(GpuMarket market) {
        if (market.allSplit()) {
            // every job was chosen so that the least sizes can be had together
            Division sampled = Objects.requireNonNull(SampledMarket.place(market, options));
            Division exact = exactLimit == 0 || options.beta() > 0
                    ? null
                    : ExactMarket.improve(market, sampled, options.idle(), exactLimit);
            return exact != null ? exact : sampled;
        }
        Division all = ExactMarket.place(market, options.idle(), WHOLE_GANGS_LIMIT);
        return all != null || options.idle() ? all : ExactMarket.place(market, true, WHOLE_GANGS_LIMIT);
    }

    /** GPUs of each type that are alive: free, or held by a job. */
    private int[] healthyGpus(View view) {
        int[] healthy = new int[view.topology().types().size()];
        for (int t = 0; t < healthy.length; t++) {
            healthy[t] =
                    view.capacity().available(t, Horizon.NOW) + heldGpus(view).ofType(t);
        }
        return healthy;
    }

    /** Whether a waiting job keeps GPUs from others: out of patience, and enough are alive to wait for. */
    private static boolean reservesGpus(RankedJob entry, int[] healthy) {
        if (!AgingOrder.isOverdue(entry.rank())) {
            return false;
        }
        Demand demand = entry.job().job().demand();
        int reach = 0;
        for (int type : entry.job().typesByPreference()) {
            // with CPU or RAM to find on their nodes, its GPUs are of one type
            boolean mixed = demand.splitsBatch() && !demand.needsHostResources();
            reach = mixed ? reach + healthy[type] : Math.max(reach, healthy[type]);
        }
        return reach >= demand.minGpus();
    }

    private HeldGpus heldGpus(View view) {
        HeldGpus current = heldGpus;
        if (current == null) {
            current = new HeldGpus(view.topology());
            heldGpus = current;
        }
        return current;
    }

    private RankedJobs rankedJobs(View view) {
        RankedJobs current = rankedJobs;
        if (current == null) {
            current = new RankedJobs(view, order, new RankedJobs.IndexOptions(false, false, false, false));
            rankedJobs = current;
        }
        return current;
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        RankedJobs rankedJobs = rankedJobs(view);
        PendingReason plain = PendingReasons.explain(rankedJobs, view, job, LocalityTolerance.NONE);
        boolean room = plain.code() == ReasonCode.FRAGMENTED || plain.code() == ReasonCode.HOST_RESOURCES;
        JobView ahead = room ? reservingJob(rankedJobs, view) : null;
        return ahead == null || ahead.id() == job.id()
                ? plain
                : PendingReasons.forReservation(job, view.capacity(), ahead.id());
    }

    /** The job for which GPUs are kept, or null. */
    private @Nullable JobView reservingJob(RankedJobs rankedJobs, View view) {
        heldGpus(view)
                .update(view); // what started since the last decision holds GPUs too; a second update does no harm
        int[] healthy = healthyGpus(view);
        JobView found = null;
        RankedJob best = null;
        for (WaitingJobs.DemandClass demandClass : rankedJobs.waiting().demandClasses()) {
            RankedJob first = demandClass.head();
            if (reservesGpus(first, healthy) && (best == null || WaitingJobs.compare(first, best) < 0)) {
                best = first;
                found = first.job();
            }
        }
        return found;
    }
}
