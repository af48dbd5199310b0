package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import dev.fermata.core.policy.tune.DelayTuner;
import org.jspecify.annotations.Nullable;

/**
 * Delay scheduling over machine, rack and network: a job waits for one machine, after a while takes one rack, after
 * another while takes anything. The wait is counted from when it last entered the queue, in leases, fixed or tuned by
 * how long jobs of its size had to wait recently. A gang too large for a machine (rack) begins one step further.
 *
 * <p>Zaharia et al., "Delay Scheduling", EuroSys 2010; tiers and timers as in Dally (Sharma et al. 2024). Where the
 * authors take the first fit of a tier this takes the tightest. Costs what {@link Consolidate} costs.
 */
public final class DelayScheduling implements Placement, LocalityTolerance {
    /** A timer that the tuner sets. */
    public static final int AUTO = -1;

    /**
     * How long to wait.
     *
     * @param leaseMillis the unit of all waits
     * @param rackLeases leases before a rack will do, or {@link #AUTO}
     * @param netLeases leases before any place will do, or {@link #AUTO}
     * @param historyLeases how long the tuner remembers
     * @param slack a tier at which a job loses no more than this share of its speed is taken at once
     */
    public record Timers(long leaseMillis, int rackLeases, int netLeases, int historyLeases, double slack) {
        boolean isTuned() {
            return rackLeases < 0 || netLeases < 0;
        }
    }

    private final Timers timers;
    private final DelayTuner tuner;
    private final TierPlacement tierPlacement = new TierPlacement();
    private final LongMap<Integer> seenAttempts = new LongMap<>();
    private @Nullable Topology topology;
    private long nowMillis;

    public DelayScheduling(Timers timers) {
        this.timers = timers;
        this.tuner = new DelayTuner(timers.leaseMillis, timers.historyLeases);
    }

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public LocalityTolerance tolerance() {
        return this;
    }

    @Override
    public boolean update(View view) {
        nowMillis = view.nowMillis();
        topology = view.topology();
        if (!timers.isTuned()) {
            return false;
        }
        for (JobView job : view.changedJobs()) {
            learn(job, view);
        }
        return tuner.refresh(nowMillis);
    }

    /** Notes once for each start how long it was waited for and how close it is. */
    private void learn(JobView job, View view) {
        if (job.state().isFinal() || !view.isAdmitted(job)) {
            seenAttempts.remove(job.id());
            return;
        }
        Allocation held = job.state().holdsGpus() ? job.allocation() : null;
        Integer seen = seenAttempts.get(job.id());
        if (held != null && (seen == null || seen < job.attempt())) {
            seenAttempts.put(job.id(), job.attempt());
            tuner.recordWait(gangSize(job), held.tier(), job.startedMillis(), job.startedMillis() - job.queuedMillis());
        }
    }

    @Override
    public Tier acceptedTier(JobView job) {
        long waited = nowMillis - job.queuedMillis();
        Tier byTime = Tier.NODE;
        if (waited >= netMillis(job)) {
            byTime = Tier.NETWORK;
        } else if (waited >= rackMillis(job)) {
            byTime = Tier.RACK;
        }
        Tier accepted = timers.slack > 0 && byTime != Tier.NETWORK ? fartherOf(byTime, harmlessTier(job)) : byTime;
        return job.job().locality().acceptedTier(accepted, waited);
    }

    @Override
    public long relaxesAtMillis(JobView job) {
        Tier now = acceptedTier(job);
        long next = Plan.NEVER;
        if (now.compareTo(Tier.NETWORK) < 0) {
            next = job.queuedMillis() + netMillis(job);
        }
        if (now.compareTo(Tier.RACK) < 0) {
            next = Math.min(next, job.queuedMillis() + rackMillis(job));
        }
        return now == Tier.NETWORK ? next : job.job().locality().relaxesAtMillis(next, job.queuedMillis());
    }

    private long rackMillis(JobView job) {
        int leases = timers.rackLeases < 0 ? tuner.rackLeases(gangSize(job)) : timers.rackLeases;
        return leases * timers.leaseMillis;
    }

    private long netMillis(JobView job) {
        int leases = timers.netLeases < 0 ? tuner.netLeases(gangSize(job)) : timers.netLeases;
        return leases * timers.leaseMillis;
    }

    private static int gangSize(JobView job) {
        return job.job().demand().maxGpus();
    }

    /** The farthest tier at which the network, as the speed model knows it, costs this job next to nothing. */
    private Tier harmlessTier(JobView job) {
        Topology here = topology;
        int gpus = gangSize(job);
        if (here == null || gpus == 1) {
            return Tier.NETWORK;
        }
        int type = job.typesByPreference()[0];
        Shape tightest = here.tightest(type, gpus);
        int nodes = Math.max(2, (gpus + tightest.gpusPerNode() - 1) / tightest.gpusPerNode());
        double min = (1 - timers.slack) * speed(job, here, type, tightest);
        if (speed(job, here, type, Shape.of(gpus, nodes, 2)) >= min) {
            return Tier.NETWORK;
        }
        return speed(job, here, type, Shape.of(gpus, nodes, 1)) >= min ? Tier.RACK : Tier.NODE;
    }

    private static double speed(JobView job, Topology topology, int type, Shape shape) {
        return SpeedModel.speedAlone(job.job(), topology, type, gangSize(job), shape)
                .micro();
    }

    private static Tier fartherOf(Tier a, Tier b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    @Override
    public boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus) {
        return tierPlacement.requiresOneNode(capacity, job, type, gpus, acceptedTier(job));
    }

    @Override
    public @Nullable Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon) {
        return tierPlacement.choose(capacity, job, type, gpus, horizon, acceptedTier(job));
    }
}
