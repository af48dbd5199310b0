package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Space;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.queue.Patience;
import dev.fermata.core.policy.tune.Payoff;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a closer place as long as waiting can still pay: a job that would lose an hour to the network if it were spread
 * over a rack takes the rack once it has waited an hour for a node, a job that would lose nothing takes it at once. GPU-time
 * that the network eats is lost to everybody who waits, so in a crowd a job is the more patient. When waits of its size
 * have not paid lately, it gives in sooner ({@link Payoff}).
 *
 * <p>Delay scheduling as in Dally (Sharma et al. 2024), with timers in the currency of completion time instead of leases.
 * Costs what {@link Consolidate} costs.
 */
public final class BreakEven implements Placement, Patience {
    /** What being spread would cost a waiting job, and since when it has declined to be. */
    private static final class Outlook {
        final long rackLossMillis;
        final long networkLossMillis;
        /** By GPU type, what running there would cost against the fastest. */
        final long[] typeLossMillis;

        long declinedMillis = -1;

        Outlook(long rackLossMillis, long networkLossMillis, long[] typeLossMillis) {
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

    /** A faster type is waited for half as long as it would save: slower GPUs would idle meanwhile. */
    private static final double TYPE = 0.5;

    private static final int CROWD_SLACK = 8;

    private final Together together = new Together();
    private final Payoff payoff = new Payoff();
    private final LongMap<Outlook> outlooks = new LongMap<>();
    private @Nullable View view;
    /** How many wait, taken anew when it has doubled or halved. */
    private int crowd;

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public Patience patience() {
        return this;
    }

    @Override
    public boolean update(View now) {
        view = now;
        boolean learned = now.pendingJobs() > 2 * crowd + CROWD_SLACK || now.pendingJobs() < crowd / 2 - CROWD_SLACK;
        crowd = learned ? now.pendingJobs() : crowd;
        for (JobView job : now.changed()) {
            Outlook outlook = outlooks.remove(job.id());
            if (outlook != null && outlook.declinedMillis >= 0 && job.state().holdsGpus()) {
                learned |= learn(job, outlook);
            }
        }
        return learned;
    }

    private boolean learn(JobView job, Outlook outlook) {
        Allocation held = job.allocation();
        if (held == null) {
            return false;
        }
        double waited = (double) job.startedMillis() - outlook.declinedMillis;
        double saved = (double) outlook.networkLossMillis - outlook.lossMillis(held.tier());
        return payoff.learn(gang(job), waited, saved);
    }

    @Override
    public Tier accepts(JobView job) {
        View now = view;
        if (gang(job) == 1 || now == null) {
            return Tier.NETWORK;
        }
        long waited = now.nowMillis() - job.queuedMillis();
        return job.job().locality().accepts(pays(job, now, waited), waited);
    }

    /** How near it must be for waiting to be worth it still. */
    private Tier pays(JobView job, View now, long waited) {
        Outlook outlook = outlook(job, now);
        double patience = patience(job, now);
        if (waited >= patience * outlook.networkLossMillis) {
            return Tier.NETWORK;
        }
        return waited >= patience * outlook.rackLossMillis ? Tier.RACK : Tier.NODE;
    }

    @Override
    public long acceptsTypes(JobView job) {
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
        return waited >= TYPE * outlook(job, now).typeLossMillis[type];
    }

    @Override
    public long untilMillis(JobView job) {
        View now = view;
        if (now == null) {
            return Plan.NEVER;
        }
        Tier accepted = accepts(job);
        Outlook outlook = outlook(job, now);
        long next = Long.MAX_VALUE;
        if (accepted != Tier.NETWORK) {
            long loss = accepted == Tier.RACK ? outlook.networkLossMillis : outlook.rackLossMillis;
            next = job.job().locality().untilMillis((long) Math.ceil(patience(job, now) * loss), 0);
        }
        for (int type : job.typesByPreference()) {
            long wait = (long) Math.ceil(TYPE * outlook.typeLossMillis[type]);
            next = accepts(job, type, now) ? next : Math.min(next, wait);
        }
        return next == Long.MAX_VALUE ? Plan.NEVER : job.queuedMillis() + next;
    }

    /** What share of its own loss a job should be ready to wait: its own, and that of those who wait for its GPUs. */
    private double patience(JobView job, View now) {
        double others = (double) crowd * gang(job) / now.topology().gpuCount();
        return payoff.patience(gang(job)) * (1 + others);
    }

    private Outlook outlook(JobView job, View now) {
        Outlook known = outlooks.get(job.id());
        if (known == null) {
            known = predict(job, now);
            outlooks.put(job.id(), known);
        }
        return known;
    }

    private static Outlook predict(JobView job, View view) {
        Topology topology = view.topology();
        int type = job.typesByPreference()[0];
        int gpus = gang(job);
        Shape tightest = topology.tightest(type, gpus);
        int nodes = Math.max(2, (gpus + tightest.gpusPerNode() - 1) / tightest.gpusPerNode());
        double work = view.remainingMillis(job);
        double best = work / pace(job, topology, type, tightest);
        long rack = Math.max(0, Math.round(work / pace(job, topology, type, Shape.of(gpus, nodes, 1)) - best));
        long network = Math.max(0, Math.round(work / pace(job, topology, type, Shape.of(gpus, nodes, 2)) - best));
        long[] byType = new long[topology.types().size()];
        for (int t : job.typesByPreference()) {
            byType[t] = Math.max(0, Math.round(work / pace(job, topology, t, topology.tightest(t, gpus)) - best));
        }
        return new Outlook(rack, Math.max(rack, network), byType);
    }

    private static double pace(JobView job, Topology topology, int type, Shape shape) {
        return (double) SpeedModel.alone(job.job(), topology, type, gang(job), shape)
                        .micro()
                / Pace.UNIT;
    }

    private static int gang(JobView job) {
        return job.job().demand().maxGpus();
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return together.onOneNode(space, job, type, gpus, accepts(job));
    }

    @Override
    public @Nullable Allocation placeOn(Space space, JobView job, int type, Horizon horizon) {
        return view != null && job.typesByPreference().length > 1 && !accepts(job, type, view)
                ? null
                : Placement.super.placeOn(space, job, type, horizon);
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        Tier accepted = accepts(job);
        Allocation found = together.choose(space, job, type, gpus, horizon, accepted);
        View now = view;
        if (found == null && accepted != Tier.NETWORK && now != null && horizon == Horizon.NOW) {
            Outlook outlook = outlook(job, now);
            boolean declined = space.available(type, horizon) >= gpus;
            outlook.declinedMillis = declined && outlook.declinedMillis < 0 ? now.nowMillis() : outlook.declinedMillis;
        }
        return found;
    }
}
