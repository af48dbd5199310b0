package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import dev.fermata.core.policy.tune.WaitPayoff;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a closer place as long as waiting can still pay. A job that would lose an hour to the network in a rack
 * takes the rack once it has waited an hour for a node. A job that would lose nothing takes it at once. GPU-time that
 * the network wastes is lost to every waiting job, so a job waits longer the longer the queue. When waits of its size
 * have not paid recently, it gives in sooner ({@link WaitPayoff}). What counts is the place found: a rack in which a gang would
 * be on four nodes is not the one in which it is on two.
 *
 * <p>Delay scheduling as in Dally (Sharma et al. 2024), with timers in units of completion time instead of leases.
 * Costs what {@link Consolidate} costs.
 */
public final class BreakEvenDelay implements Placement, LocalityTolerance {
    /** What being spread would cost a waiting job, and since when it has waited for a closer place. */
    private static final class SpreadLoss {
        final long rackLossMillis;
        final long networkLossMillis;
        /** By GPU type, what running there would cost against the fastest. */
        final long[] typeLossMillis;
        /** What other ways to be spread would cost, in steps: more nodes and racks than the least. Least first. */
        final long[] steps;

        final double workMillis;

        long declinedMillis = -1;

        /** For which accepted step the most nodes are known, for which type, and how many. */
        int nodesForStep = -1;

        int nodesForType;
        int mostNodes;

        SpreadLoss(
                long rackLossMillis, long networkLossMillis, long[] typeLossMillis, long[] steps, double workMillis) {
            this.steps = steps;
            this.workMillis = workMillis;
            this.typeLossMillis = typeLossMillis;
            this.rackLossMillis = rackLossMillis;
            this.networkLossMillis = networkLossMillis;
        }

        long lossMillis(Tier tier) {
            return switch (tier) {
                case GPU, NODE -> 0;
                case RACK -> rackLossMillis;
                case NETWORK -> networkLossMillis;
            };
        }
    }

    /** A faster type is waited for a tenth as long as it would save: slower GPUs would idle meanwhile. */
    private static final double TYPE_WAIT_SHARE = 0.1;

    /** A job of elastic size waits longer: at a smaller size it starts sooner on the faster type. */
    private static final double ELASTIC_TYPE_WAIT_SHARE = 0.5;

    private static final int WAITING_SLACK = 8;

    /** For larger gangs it is not worked out on how many nodes they may be. */
    private static final int MAX_SHAPED_GANG = 64;

    private final TierPlacement tierPlacement = new TierPlacement();
    private final WaitPayoff payoff = new WaitPayoff();
    private final LongMap<SpreadLoss> spreadLosses = new LongMap<>();
    private @Nullable View view;
    /** How many jobs wait, updated when it has doubled or halved. */
    private int waitingJobs;

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean placesBySize(JobView job) {
        View now = view; // while it declines some ways to be spread, its own losses decide
        return now != null && acceptedStep(job) == spreadLoss(job, now).steps.length;
    }

    @Override
    public LocalityTolerance tolerance() {
        return this;
    }

    @Override
    public boolean update(View now) {
        view = now;
        boolean learned = now.pendingJobs() > 2 * waitingJobs + WAITING_SLACK
                || now.pendingJobs() < waitingJobs / 2 - WAITING_SLACK;
        waitingJobs = learned ? now.pendingJobs() : waitingJobs;
        for (JobView job : now.changedJobs()) {
            SpreadLoss spreadLoss = spreadLosses.remove(job.id());
            if (spreadLoss != null
                    && spreadLoss.declinedMillis >= 0
                    && job.state().holdsGpus()) {
                learned |= learn(job, spreadLoss);
            }
        }
        return learned;
    }

    private boolean learn(JobView job, SpreadLoss spreadLoss) {
        Allocation held = job.allocation();
        if (held == null) {
            return false;
        }
        double waited = (double) job.startedMillis() - spreadLoss.declinedMillis;
        double saved = (double) spreadLoss.networkLossMillis - spreadLoss.lossMillis(held.tier());
        return payoff.learn(gangSize(job), waited, saved);
    }

    @Override
    public Tier acceptedTier(JobView job) {
        View now = view;
        if (gangSize(job) == 1 || now == null) {
            return Tier.NETWORK;
        }
        long waited = now.nowMillis() - job.queuedMillis();
        return job.job().locality().acceptedTier(tierWorthWaitingFor(job, now, waited), waited);
    }

    /** The farthest tier that the job accepts after this wait: waiting for a closer place no longer pays. */
    private Tier tierWorthWaitingFor(JobView job, View now, long waited) {
        SpreadLoss spreadLoss = spreadLoss(job, now);
        double patience = patience(job, now);
        if (waited >= patience * spreadLoss.networkLossMillis) {
            return Tier.NETWORK;
        }
        return waited >= patience * spreadLoss.rackLossMillis ? Tier.RACK : Tier.NODE;
    }

    @Override
    public long acceptedTypes(JobView job) {
        View now = view;
        if (now == null || job.typesByPreference().length == 1) {
            return job.eligibleTypes();
        }
        long accepted = 0;
        for (int type : job.typesByPreference()) {
            accepted |= accepts(job, type, now) ? 1L << type : 0;
        }
        return accepted;
    }

    private boolean accepts(JobView job, int type, View now) {
        double waited = now.nowMillis() - job.queuedMillis();
        return waited >= typeWaitShare(job) * spreadLoss(job, now).typeLossMillis[type];
    }

    private static double typeWaitShare(JobView job) {
        Demand demand = job.job().demand();
        return demand.minGpus() < demand.maxGpus() ? ELASTIC_TYPE_WAIT_SHARE : TYPE_WAIT_SHARE;
    }

    @Override
    public int acceptedStep(JobView job) {
        View now = view;
        if (gangSize(job) == 1 || now == null) {
            return 0;
        }
        long[] steps = spreadLoss(job, now).steps;
        long waited = now.nowMillis() - job.queuedMillis();
        if (job.job().locality().acceptedTier(Tier.GPU, waited) == Tier.NETWORK) {
            return steps.length; // its user wants it to wait no longer
        }
        double patience = patience(job, now);
        int step = 0;
        while (step < steps.length && waited >= patience * steps[step]) {
            step++;
        }
        return step;
    }

    /** Whether the job has waited long enough for a place like this one. */
    private boolean acceptsFound(JobView job, Allocation found, View now) {
        SpreadLoss spreadLoss = spreadLoss(job, now);
        Tier sufficient = job.job().locality().acceptedTier(Tier.NODE, now.nowMillis() - job.queuedMillis());
        if (spreadLoss.steps.length == 0
                || found.size() != gangSize(job)
                || found.tier().compareTo(sufficient) <= 0) {
            return true;
        }
        int step = acceptedStep(job);
        long accepted = step == 0 ? 0 : spreadLoss.steps[step - 1];
        return step == spreadLoss.steps.length || lossMillis(job, found, now) <= accepted;
    }

    /** What the network would cost the job in this place. */
    private long lossMillis(JobView job, Allocation found, View now) {
        SpreadLoss spreadLoss = spreadLoss(job, now);
        if (found.size() != gangSize(job)) {
            return spreadLoss.lossMillis(found.tier());
        }
        return lossMillis(job, spreadLoss, found.shape(), now.topology().typeOf(found.gpu(0)), now);
    }

    private static long lossMillis(JobView job, SpreadLoss spreadLoss, Shape shape, int type, View now) {
        Topology topology = now.topology();
        return Math.round(spreadLoss.workMillis / speed(job, topology, type, shape)
                - spreadLoss.workMillis / speed(job, topology, type, topology.tightest(type, gangSize(job))));
    }

    @Override
    public long relaxesAtMillis(JobView job) {
        View now = view;
        if (now == null) {
            return Plan.NEVER;
        }
        Tier accepted = acceptedTier(job);
        SpreadLoss spreadLoss = spreadLoss(job, now);
        long next = Long.MAX_VALUE;
        if (accepted != Tier.NETWORK) {
            long loss = accepted == Tier.RACK ? spreadLoss.networkLossMillis : spreadLoss.rackLossMillis;
            next = job.job().locality().relaxesAtMillis((long) Math.ceil(patience(job, now) * loss), 0);
        }
        int step = acceptedStep(job);
        if (step < spreadLoss.steps.length) {
            long wait = (long) Math.ceil(patience(job, now) * spreadLoss.steps[step]);
            next = Math.min(next, job.job().locality().relaxesAtMillis(wait, 0));
        }
        for (int type : job.typesByPreference()) {
            long typeWait = (long) Math.ceil(typeWaitShare(job) * spreadLoss.typeLossMillis[type]);
            next = accepts(job, type, now) ? next : Math.min(next, typeWait);
        }
        return next == Long.MAX_VALUE ? Plan.NEVER : job.queuedMillis() + next;
    }

    /** What multiple of its own loss a job should wait: its own, and that of the jobs that wait for its GPUs. */
    private double patience(JobView job, View now) {
        double others = (double) waitingJobs * gangSize(job) / now.topology().gpuCount();
        return payoff.patience(gangSize(job)) * (1 + others);
    }

    private SpreadLoss spreadLoss(JobView job, View now) {
        SpreadLoss known = spreadLosses.get(job.id());
        if (known == null) {
            known = predict(job, now);
            spreadLosses.put(job.id(), known);
        }
        return known;
    }

    private static SpreadLoss predict(JobView job, View view) {
        Topology topology = view.topology();
        int type = job.typesByPreference()[0];
        int gpus = gangSize(job);
        Shape tightest = topology.tightest(type, gpus);
        int nodes = Math.max(2, (gpus + tightest.gpusPerNode() - 1) / tightest.gpusPerNode());
        double work = view.remainingMillis(job);
        double best = work / speed(job, topology, type, tightest);
        long rack = Math.max(0, Math.round(work / speed(job, topology, type, Shape.of(gpus, nodes, 1)) - best));
        long network = Math.max(0, Math.round(work / speed(job, topology, type, Shape.of(gpus, nodes, 2)) - best));
        long[] byType = new long[topology.types().size()];
        for (int t : job.typesByPreference()) {
            byType[t] = Math.max(0, Math.round(work / speed(job, topology, t, topology.tightest(t, gpus)) - best));
        }
        return new SpreadLoss(rack, Math.max(rack, network), byType, steps(job, topology, type, work, best), work);
    }

    /** The losses with twice, four times … the nodes, in one rack and in several; those that cost nothing are left out. */
    private static long[] steps(JobView job, Topology topology, int type, double work, double best) {
        int gpus = gangSize(job);
        TreeSet<Long> losses = new TreeSet<>();
        if (job.job().profile().gradientMib() > 0) {
            for (int nodes = 2; nodes < 2 * gpus; nodes *= 2) {
                int used = Math.min(nodes, gpus);
                for (int racks = 1; racks <= Math.min(used, topology.racks().size()); racks *= 2) {
                    losses.add(Math.round(work / speed(job, topology, type, Shape.of(gpus, used, racks)) - best));
                }
            }
        }
        return losses.stream()
                .mapToLong(Long::longValue)
                .filter(loss -> loss > 0)
                .toArray();
    }

    private static double speed(JobView job, Topology topology, int type, Shape shape) {
        return (double) SpeedModel.speedAlone(job.job(), topology, type, gangSize(job), shape)
                        .micro()
                / Speed.UNIT;
    }

    private static int gangSize(JobView job) {
        return job.job().demand().maxGpus();
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return tierPlacement.requiresOneNode(capacity, job, type, gpus, acceptedTier(job));
    }

    @Override
    public int mostNodes(FreeCapacity capacity, JobView job, int type) {
        View now = view;
        Demand demand = job.job().demand();
        int gpus = gangSize(job);
        if (now == null || demand.minGpus() < gpus || gpus > MAX_SHAPED_GANG) {
            return Integer.MAX_VALUE;
        }
        if (requiresOneNode(capacity, job, type, gpus)) {
            return 1;
        }
        SpreadLoss spreadLoss = spreadLoss(job, now);
        Tier sufficient = job.job().locality().acceptedTier(Tier.NODE, now.nowMillis() - job.queuedMillis());
        int step = acceptedStep(job);
        if (sufficient.compareTo(Tier.NODE) > 0 || step == spreadLoss.steps.length) {
            return Integer.MAX_VALUE;
        }
        if (spreadLoss.nodesForStep != step || spreadLoss.nodesForType != type) {
            spreadLoss.nodesForStep = step;
            spreadLoss.nodesForType = type;
            spreadLoss.mostNodes = mostNodes(job, spreadLoss, type, now, step == 0 ? 0 : spreadLoss.steps[step - 1]);
        }
        return spreadLoss.mostNodes;
    }

    /** The most nodes on which the network costs a job no more than this, however they are spread over racks. */
    private static int mostNodes(JobView job, SpreadLoss spreadLoss, int type, View now, long acceptedMillis) {
        int gpus = gangSize(job);
        int allRacks = now.topology().racks().size();
        for (int nodes = gpus; nodes > 1; nodes--) {
            for (int racks = 1; racks <= Math.min(nodes, allRacks); racks++) {
                if (lossMillis(job, spreadLoss, Shape.of(gpus, nodes, racks), type, now) <= acceptedMillis) {
                    return nodes;
                }
            }
        }
        return 1;
    }

    @Override
    public long declinedLossMillis(FreeCapacity capacity, JobView job, int type) {
        View now = view;
        int gpus = job.job().demand().minGpus();
        Allocation declined = now == null || capacity.available(type, Horizon.NOW) < gpus
                ? null
                : tierPlacement.choose(capacity, job, type, gpus, Horizon.NOW, Tier.NETWORK);
        if (now == null || declined == null) {
            return Plan.NEVER;
        }
        long waited = now.nowMillis() - job.queuedMillis();
        long loss = Math.max(0, lossMillis(job, declined, now));
        long accepted = job.job().locality().relaxesAtMillis((long) Math.ceil(patience(job, now) * loss), 0);
        return Math.max(0, accepted - waited) + loss;
    }

    @Override
    public @Nullable Allocation placeOn(FreeCapacity capacity, JobView job, int type, Horizon horizon) {
        return view != null && job.typesByPreference().length > 1 && !accepts(job, type, view)
                ? null
                : Placement.super.placeOn(capacity, job, type, horizon);
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        Tier accepted = acceptedTier(job);
        Allocation found = tierPlacement.choose(capacity, job, type, gpus, horizon, accepted);
        View now = view;
        if (found != null && now != null && !acceptsFound(job, found, now)) {
            found = null;
        }
        if (found == null && accepted != Tier.NETWORK && now != null && horizon == Horizon.NOW) {
            SpreadLoss spreadLoss = spreadLoss(job, now);
            boolean declined = capacity.available(type, horizon) >= gpus;
            spreadLoss.declinedMillis =
                    declined && spreadLoss.declinedMillis < 0 ? now.nowMillis() : spreadLoss.declinedMillis;
        }
        return found;
    }
}
