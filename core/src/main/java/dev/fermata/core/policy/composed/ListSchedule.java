package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.market.Division;
import dev.fermata.core.policy.market.ExactMarket;
import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.ranking.RankedJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The next jobs in rank order, each where it ends earliest, by when GPUs of each type come free. An estimate for
 * comparing what may start now, not a plan. O(jobs · types · (sizes + GPUs)).
 */
final class ListSchedule {
    private static final int LIMIT = 20_000;

    /** The choices of a schedule that start now, and its account. */
    private record Outcome(List<JointChoice.Choice> now, double cost) {}

    private final View view;
    private final Topology topology;
    private final List<JointChoice.Choice> inTurn;
    private final List<RankedJob> jobs;
    private final long[][] available;
    private final int[] free;
    private final long nextMillis;
    private final double behind;
    private final double clusterSpeed;

    /**
     * @param inTurn what starts now if each job is placed in turn
     * @param jobs those and the next waiting ones, in rank order
     * @param wakeMillis when one of the waiting ones will accept more than now
     */
    ListSchedule(View view, ExpectedEnds ends, List<JointChoice.Choice> inTurn, List<RankedJob> jobs, long wakeMillis) {
        this.view = view;
        this.topology = view.topology();
        this.inTurn = inTurn;
        this.jobs = jobs;
        int types = topology.types().size();
        free = new int[types];
        available = new long[types][];
        for (int t = 0; t < types; t++) {
            free[t] = view.draft().capacity().available(t, Horizon.NOW);
        }
        int gpus = 0;
        for (JointChoice.Choice choice : inTurn) {
            free[choice.type()] += choice.gpus();
        }
        for (RankedJob job : jobs) {
            gpus += job.job().job().demand().maxGpus();
        }
        long next = wakeMillis;
        double speed = 0;
        for (int t = 0; t < types; t++) {
            available[t] = ends.availableMillis(t, free[t], view.nowMillis(), gpus);
            for (long at : available[t]) {
                next = at > view.nowMillis() ? Math.min(next, at) : next;
            }
            speed += view.schedulableGpus(t) * topology.types().get(t).speed();
        }
        nextMillis = next;
        clusterSpeed = Math.max(speed, 1e-9);
        behind = Math.max(0, view.pendingJobs() - jobs.size());
    }

    /** What should start now, or nothing when starting in turn is as good. */
    List<JointChoice.Choice> best(Set<Long> started, double minGain) {
        Outcome turn = run(inTurn, Set.of(), nextMillis);
        Outcome earliest = run(List.of(), started, view.nowMillis());
        if (earliest == null || turn == null) {
            return List.of();
        }
        Outcome divided = divide(earliest.now);
        Outcome best = divided != null && divided.cost < earliest.cost ? divided : earliest;
        return best.cost < turn.cost * (1 - minGain) ? best.now : List.of();
    }

    /** The same jobs start now, on the types and sizes of least sum. */
    private @Nullable Outcome divide(List<JointChoice.Choice> now) {
        if (now.size() < 2) {
            return null;
        }
        Division division = ExactMarket.place(new StartMarket(now), true, LIMIT);
        if (division == null) {
            return null;
        }
        List<JointChoice.Choice> choices = new ArrayList<>();
        for (int i = 0; i < now.size(); i++) {
            for (int t = 0; t < free.length; t++) {
                if (division.count(i, t) > 0) {
                    choices.add(new JointChoice.Choice(now.get(i).entry(), t, division.count(i, t)));
                }
            }
        }
        return run(choices, Set.of(), nextMillis);
    }

    /**
     * @param fixed what starts now in any case
     * @param mustStart jobs that must start now, wherever
     * @param fromMillis when the others may start
     * @return null when a job that must start now cannot
     */
    private @Nullable Outcome run(List<JointChoice.Choice> fixed, Set<Long> mustStart, long fromMillis) {
        long[][] units = new long[available.length][];
        for (int t = 0; t < units.length; t++) {
            units[t] = available[t].clone();
        }
        double cost = 0;
        List<JointChoice.Choice> now = new ArrayList<>(fixed);
        for (JointChoice.Choice choice : fixed) {
            cost += take(units, choice.entry().job(), choice.type(), choice.gpus(), view.nowMillis());
        }
        for (RankedJob entry : jobs) {
            if (fixed.stream().anyMatch(choice -> choice.entry() == entry)) {
                continue;
            }
            boolean must = mustStart.contains(entry.job().id());
            JointChoice.Choice choice = earliest(entry, units, fromMillis, must);
            if (choice != null) {
                long start = Math.max(fromMillis, units[choice.type()][choice.gpus() - 1]);
                if (start == view.nowMillis()) {
                    now.add(choice);
                }
                cost += take(units, entry.job(), choice.type(), choice.gpus(), start);
            } else if (must) {
                return null;
            } // else the GPUs it needs are held by jobs whose end is not expected
        }
        return new Outcome(now, cost);
    }

    /** Where a job ends earliest, or null where there is nothing for it. */
    private JointChoice.@Nullable Choice earliest(RankedJob entry, long[][] units, long fromMillis, boolean must) {
        Demand demand = entry.job().job().demand();
        JointChoice.Choice best = null;
        double least = Double.POSITIVE_INFINITY;
        for (int type : entry.job().typesByPreference()) {
            for (int gpus = demand.maxGpus(); gpus >= demand.minGpus(); gpus = smaller(demand, gpus)) {
                if (gpus <= units[type].length) {
                    long start = Math.max(fromMillis, units[type][gpus - 1]);
                    double end = cost(entry.job(), type, gpus, start);
                    if (end < least && !(must && start > view.nowMillis())) {
                        least = end;
                        best = new JointChoice.Choice(entry, type, gpus);
                    }
                }
            }
        }
        return best;
    }

    private static int smaller(Demand demand, int gpus) {
        return gpus == demand.minGpus() ? 0 : Math.max(demand.minGpus(), gpus / 2);
    }

    /** Books the GPUs that come free first; returns what it adds to the account. */
    private double take(long[][] units, JobView job, int type, int gpus, long start) {
        long end = start + Math.round(runMillis(job, type, gpus));
        Arrays.fill(units[type], 0, gpus, end);
        Arrays.sort(units[type]);
        return cost(job, type, gpus, start);
    }

    /** Milliseconds until the job ends, and what the jobs behind lose to the share of the cluster that it holds. */
    private double cost(JobView job, int type, int gpus, long start) {
        double run = runMillis(job, type, gpus);
        double held = gpus * topology.types().get(type).speed() / clusterSpeed;
        return start - view.nowMillis() + run * (1 + behind * held);
    }

    private double runMillis(JobView job, int type, int gpus) {
        Speed speed = SpeedModel.speedAlone(job.job(), topology, type, gpus, topology.tightest(type, gpus));
        return (double) view.remainingMillis(job) * Speed.UNIT / speed.micro();
    }

    /** The jobs that start now, and all GPUs that are free for them. */
    private final class StartMarket implements Market {
        private final List<JointChoice.Choice> starts;

        StartMarket(List<JointChoice.Choice> starts) {
            this.starts = starts;
        }

        private Demand demand(int job) {
            return starts.get(job).entry().job().job().demand();
        }

        @Override
        public int jobs() {
            return starts.size();
        }

        @Override
        public int types() {
            return free.length;
        }

        @Override
        public int workers(int type) {
            return free[type];
        }

        @Override
        public double rate(int job, int type) {
            JobView one = starts.get(job).entry().job();
            boolean may = (one.eligibleTypes() >> type & 1) != 0;
            return may ? one.job().profile().speedOn(topology.types().get(type)) : 0;
        }

        @Override
        public double work(int job) {
            return view.remainingMillis(starts.get(job).entry().job());
        }

        @Override
        public double seconds(int job, double rate, int workers) {
            throw new UnsupportedOperationException("gangs here are of one type");
        }

        @Override
        public double seconds(int job, int[] counts) {
            int type = 0;
            while (counts[type] == 0) {
                type++;
            }
            return cost(starts.get(job).entry().job(), type, counts[type], view.nowMillis());
        }

        @Override
        public int minWorkers(int job) {
            return demand(job).minGpus();
        }

        @Override
        public int maxWorkers(int job) {
            return demand(job).maxGpus();
        }

        @Override
        public boolean splits(int job) {
            return false;
        }
    }
}
