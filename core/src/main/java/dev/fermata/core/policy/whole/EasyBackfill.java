package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.composed.PendingReasons;
import dev.fermata.core.policy.order.ArrivalOrder;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.ranking.Rank;
import dev.fermata.core.policy.ranking.RankTree;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.WaitingJobs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * First come, first served with EASY backfilling. The first job that does not fit gets a reservation at the earliest
 * time enough GPUs will be free. Others may start before it if they end by then, or use GPUs it will not need.
 *
 * <p>Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995. The reservation counts GPUs of one type (not their places).
 * O(demand classes · log jobs) a decision.
 */
public final class EasyBackfill implements Policy {
    /** The waiting head's claim: when it can start on which type, and how many GPUs it will leave over then. */
    private static final class Reservation {
        final RankedJob head;
        final int type;
        final long atMillis;
        long spare;

        Reservation(RankedJob head, int type, long atMillis, long spare) {
            this.head = head;
            this.type = type;
            this.atMillis = atMillis;
            this.spare = spare;
        }

        /** No reservation: too many GPUs are down for the head to start at all, so no job can delay it. */
        static Reservation none(RankedJob head) {
            return new Reservation(head, -1, Plan.NEVER, Long.MAX_VALUE);
        }

        /** Whether a job that starts now on this type, holding this many GPUs until then, leaves the claim whole. */
        boolean allows(int onType, int gpus, long endsMillis) {
            return onType != type || endsMillis <= atMillis || gpus <= spare;
        }
    }

    private record Candidate(WaitingJobs.DemandClass demandClass, RankedJob entry) {}

    private final Placement placement;
    private @Nullable RankedJobs rankedJobs;
    private long blockedHead = -1;
    private ReasonCode blockedReason = ReasonCode.NOT_YET_CONSIDERED;

    public EasyBackfill(Placement placement) {
        this.placement = placement;
    }

    @Override
    public Plan decide(View view) {
        RankedJobs rankedJobs = rankedJobs(view);
        rankedJobs.update(view);
        StartedJobs starts = new StartedJobs(view, rankedJobs);
        RankedJob head = startInOrder(rankedJobs, view, starts);
        if (head == null) {
            return new Plan(starts.actions, List.of(), rankedJobs.nextDueMillis());
        }
        PendingReason reason = PendingReasons.forUnfit(head.job(), view.draft().capacity(), placement.tolerance());
        backfill(reserve(head, rankedJobs, view, starts), rankedJobs, view, starts);
        boolean isNew = head.job().id() != blockedHead || reason.code() != blockedReason;
        blockedHead = head.job().id();
        blockedReason = reason.code();
        return new Plan(starts.actions, isNew ? List.of(reason) : List.of(), rankedJobs.nextDueMillis());
    }

    /** Jobs started in this decision: they hold GPUs already, but are not yet among the running. */
    private static final class StartedJobs {
        private record StartedJob(int type, int gpus, long endMillis) {}

        private final View view;
        private final RankedJobs rankedJobs;
        private final List<Action> actions = new ArrayList<>();
        private final List<StartedJob> started = new ArrayList<>();

        StartedJobs(View view, RankedJobs rankedJobs) {
            this.view = view;
            this.rankedJobs = rankedJobs;
        }

        void start(RankedJob entry, Allocation found) {
            view.draft().allocate(entry.job(), found);
            actions.add(new Action.Start(entry.job().id(), found));
            rankedJobs.unlink(entry);
            started.add(new StartedJob(view.topology().typeOf(found.gpu(0)), found.size(), endMillis(entry, found)));
        }

        /** When a job would end if it started on these GPUs now. */
        long endMillis(RankedJob entry, Allocation found) {
            JobView job = entry.job();
            double jobSpeed = (double) SpeedModel.speedAlone(job.job(), found, view.topology())
                            .micro()
                    / Speed.UNIT;
            return view.nowMillis()
                    + job.job().costs().loadMillis(job.resumed())
                    + (long) Math.ceil(view.remainingMillis(job) / jobSpeed);
        }

        List<StartedJob> on(int type) {
            return started.stream()
                    .filter(start -> start.type == type)
                    .sorted(Comparator.comparingLong(StartedJob::endMillis))
                    .toList();
        }
    }

    /** Starts jobs in order of arrival; returns the first that does not fit. */
    private @Nullable RankedJob startInOrder(RankedJobs rankedJobs, View view, StartedJobs starts) {
        PriorityQueue<WaitingJobs.DemandClass> demandClasses = new PriorityQueue<>(WaitingJobs.byHead());
        demandClasses.addAll(rankedJobs.waiting().demandClasses());
        for (WaitingJobs.DemandClass demandClass = demandClasses.poll();
                demandClass != null;
                demandClass = demandClasses.poll()) {
            RankedJob first = demandClass.head();
            Allocation found = placement.place(view.draft().capacity(), first.job(), Horizon.NOW);
            if (found == null) {
                return first;
            }
            starts.start(first, found);
            if (!demandClass.tree().isEmpty()) {
                demandClasses.add(demandClass);
            }
        }
        return null;
    }

    /** The earliest time at which the head has enough GPUs of one type, by the estimates of the running jobs. */
    private static Reservation reserve(RankedJob head, RankedJobs rankedJobs, View view, StartedJobs starts) {
        int need = head.job().job().demand().minGpus();
        Reservation best = Reservation.none(head);
        for (int type : head.job().typesByPreference()) {
            int free = view.draft().capacity().available(type, Horizon.NOW);
            RankTree ends = rankedJobs.running().tree(type, 0);
            List<StartedJobs.StartedJob> started = starts.on(type);
            long at = earliest(need - free, ends, started, view.nowMillis());
            if (at < best.atMillis) {
                long freed = ends.weight() - ends.weightAfter(Rank.fixed(0, at), view.nowMillis());
                for (StartedJobs.StartedJob start : started) {
                    freed += start.endMillis <= at ? start.gpus : 0;
                }
                best = new Reservation(head, type, at, free + freed - need);
            }
        }
        return best;
    }

    /** When this many GPUs will be free: those of the running jobs, and of the first few, if any, that just started. */
    private static long earliest(long missing, RankTree ends, List<StartedJobs.StartedJob> started, long now) {
        long best = Plan.NEVER;
        long left = missing;
        long since = now;
        for (int k = 0; k <= started.size(); k++) {
            RankedJob last = left <= 0 ? null : ends.firstReachingWeight(left);
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

    private void backfill(Reservation reservation, RankedJobs rankedJobs, View view, StartedJobs starts) {
        PriorityQueue<Candidate> candidates = new PriorityQueue<>((a, b) -> WaitingJobs.compare(a.entry, b.entry));
        for (WaitingJobs.DemandClass demandClass : rankedJobs.waiting().demandClasses()) {
            addCandidate(candidates, demandClass, null, reservation, view);
        }
        for (Candidate next = candidates.poll(); next != null; next = candidates.poll()) {
            RankedJob entry = next.entry;
            if (entry == reservation.head) {
                addCandidate(candidates, next.demandClass, entry, reservation, view);
                continue;
            }
            Allocation found = placement.place(view.draft().capacity(), entry.job(), Horizon.NOW);
            if (found == null) {
                continue; // nor will any other of its class
            }
            int type = view.topology().typeOf(found.gpu(0));
            long ends = starts.endMillis(entry, found);
            if (reservation.allows(type, found.size(), ends)) {
                if (type == reservation.type && ends > reservation.atMillis) {
                    reservation.spare -= found.size();
                }
                starts.start(entry, found);
            }
            addCandidate(candidates, next.demandClass, entry, reservation, view);
        }
    }

    /** Offers the next job of a demand class, after {@code last}, that could start without delaying the reservation. */
    private static void addCandidate(
            PriorityQueue<Candidate> candidates,
            WaitingJobs.DemandClass demandClass,
            @Nullable RankedJob last,
            Reservation reservation,
            View view) {
        RankedJob sample = demandClass.tree().first();
        if (sample == null || !hasFreeGpus(sample.job(), view)) {
            return;
        }
        boolean anyLength = sample.job().job().demand().minGpus() <= reservation.spare
                || (sample.job().eligibleTypes() & ~(1L << reservation.type)) != 0;
        long limit = anyLength ? Long.MAX_VALUE : reservation.atMillis - view.nowMillis();
        RankedJob next = demandClass.tree().firstNotLongerThan(last, limit);
        if (next != null) {
            candidates.add(new Candidate(demandClass, next));
        }
    }

    private static boolean hasFreeGpus(JobView job, View view) {
        for (int type : job.typesByPreference()) {
            if (view.draft().capacity().available(type, Horizon.NOW)
                    >= job.job().demand().minGpus()) {
                return true;
            }
        }
        return false;
    }

    private RankedJobs rankedJobs(View view) {
        RankedJobs current = rankedJobs;
        if (current == null) {
            RankedJobs.IndexOptions indexOptions =
                    new RankedJobs.IndexOptions(false, placement.allowsSharing(), true, false);
            current = new RankedJobs(view, new ArrivalOrder(true), placement.tolerance(), indexOptions);
            rankedJobs = current;
        }
        return current;
    }

    @Override
    public PendingReason explain(View view, JobView job) {
        RankedJobs rankedJobs = rankedJobs(view);
        RankedJob entry = rankedJobs.entry(job);
        if (entry == null || entry.demandClass() == null) {
            return new PendingReason.NotYetConsidered(job.id());
        }
        if (!PendingReasons.hasEnoughGpus(job, view.capacity())
                || rankedJobs.waiting().countAhead(entry) == 0) {
            return PendingReasons.forUnfit(job, view.capacity(), placement.tolerance());
        }
        WaitingJobs.DemandClass first = rankedJobs.waiting().demandClasses().stream()
                .min(WaitingJobs.byHead())
                .orElseThrow();
        long head = first.head().job().id();
        return PendingReasons.forReservation(job, view.capacity(), head);
    }
}
