package dev.fermata.sim.engine;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Mix64;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.AttemptOverhead;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How fast jobs really run and what pausing really takes, where policies predict by the profiles. Every error belongs to
 * a model, GPU type or pair of models and to the seed. It never depends on the policy or on the order of events.
 *
 * <p>Durations are stated on the reference GPU in the closest placement, so there prediction and truth agree.
 */
public final class TrueModel {
    /** What an error is about; each has random numbers of its own. */
    private enum Quantity {
        TYPE,
        PLACEMENT,
        CO_RUN,
        PAUSE,
        LOAD
    }

    private final Topology topology;
    private final ModelError error;
    private final long seed;

    public TrueModel(Topology topology, ModelError error, long seed) {
        this.topology = topology;
        this.error = error;
        this.seed = seed;
    }

    /** A cluster that is as policies predict. */
    static TrueModel asPredicted(Topology topology) {
        return new TrueModel(topology, ModelError.NONE, 0);
    }

    ModelError error() {
        return error;
    }

    /** Whether the busy shares of profiles say what jobs get done on shared GPUs. */
    public boolean coRunsAsPredicted() {
        return error.coRun() == 0 && error.coRunBias() == 0;
    }

    /** The job with its true speeds by type and its true costs. What was measured of single attempts stays. */
    public SimulatedJob trueJob(SimulatedJob predicted) {
        if (error.types() == 0 && error.costs() == 0) {
            return predicted;
        }
        Job job = predicted.job();
        AttemptOverhead overhead = predicted.overhead();
        return new SimulatedJob(
                error.types() == 0
                        ? job
                        : job.toBuilder(job.id()).profile(trueProfile(job)).build(),
                predicted.submitMillis(),
                predicted.durationMillis(),
                predicted.peakMemoryMib(),
                new AttemptOverhead(
                        trueCosts(job, overhead.costs()),
                        overhead.hiddenLoadMillis(),
                        overhead.finishesInsteadOfSaving()),
                predicted.outcome(),
                predicted.attemptOverheads());
    }

    private Profile trueProfile(Job job) {
        Profile profile = job.profile();
        Map<String, Double> speeds = new HashMap<>(profile.speedByType());
        for (GpuType type : topology.types()) {
            double predicted = profile.speedOn(type);
            if (predicted != 1) {
                long about = Mix64.mix(modelKey(job), hash(type.name()));
                speeds.put(type.name(), predicted * factor(Quantity.TYPE, about, error.types()));
            }
        }
        return new Profile(
                profile.model(),
                profile.iterationMillis(),
                profile.busyShare(),
                profile.gradientMib(),
                profile.layers(),
                profile.peakMemoryMib(),
                speeds,
                profile.coRunSlowdown());
    }

    private Costs trueCosts(Job job, Costs predicted) {
        if (error.costs() == 0) {
            return predicted;
        }
        Costs paused = predicted.scaled(factor(Quantity.PAUSE, modelKey(job), error.costs()));
        Costs loaded = predicted.scaled(factor(Quantity.LOAD, modelKey(job), error.costs()));
        return new Costs(
                paused.preemptMillis(),
                loaded.buildMillis(),
                loaded.restoreMillis(),
                loaded.warmupMillis(),
                predicted.checkpointing(),
                predicted.suspend());
    }

    /** Speed of a true job alone on its GPUs, over the links as it sees them. */
    Speed speedAlone(Job job, Allocation allocation, Network network) {
        Speed speed = SpeedModel.speedAlone(job, allocation, topology, network);
        boolean exchanges = job.profile().gradientMib() > 0 && job.demand().maxGpus() > 1;
        if (error.placement() == 0 || !exchanges) {
            return speed;
        }
        int type = topology.typeOf(allocation.gpu(0));
        Shape tightest = topology.tightest(type, allocation.size());
        boolean full = allocation.size() == job.demand().maxGpus();
        if (full && !allocation.mixed() && allocation.shape().equals(tightest)) {
            return speed;
        }
        long about = Mix64.mix(modelKey(job), hash(topology.types().get(type).name()));
        about = Mix64.mix(about, hash(allocation.tier().name()));
        about = Mix64.mix(about, allocation.size());
        // no placement is better than the closest
        double limit = allocation.mixed()
                ? 1
                : (double) SpeedModel.speedAlone(job, topology, type, allocation.size(), tightest)
                                .micro()
                        / speed.micro();
        double factor = Math.min(Math.max(1, limit), factor(Quantity.PLACEMENT, about, error.placement()));
        return new Speed(
                Math.max(1, Math.round(speed.micro() * factor)),
                Math.max(0, 1 - (1 - speed.communicationShare()) * factor));
    }

    /** How much longer an iteration takes next to these jobs on one GPU. A measured pair is as it was measured. */
    double coRunSlowdown(Job own, List<Job> others) {
        List<Profile> profiles = new ArrayList<>(others.size());
        for (Job other : others) {
            profiles.add(other.profile());
        }
        double predicted = SpeedModel.coRunSlowdown(own.profile(), profiles);
        if (coRunsAsPredicted() || others.isEmpty()) {
            return predicted;
        }
        double log = 0;
        for (Job other : others) {
            if (!own.profile().coRunSlowdown().containsKey(other.profile().model())) {
                double gaussian = gaussian(Quantity.CO_RUN, Mix64.mix(modelKey(own), modelKey(other)));
                log += (error.coRunBias() + error.coRun() * gaussian) / others.size();
            }
        }
        return Math.max(1, predicted / StrictMath.exp(log));
    }

    private double factor(Quantity quantity, long about, double sigma) {
        return StrictMath.exp(sigma * gaussian(quantity, about));
    }

    private double gaussian(Quantity quantity, long about) {
        return Rng.stream(Mix64.mix(seed, hash(quantity.name())), about).gaussian();
    }

    /** Jobs of one model share their errors; a job without a model has its own. */
    private static long modelKey(Job job) {
        String model = job.profile().model();
        return model.isEmpty() ? Mix64.mix(job.id()) : hash(model);
    }

    private static long hash(String text) {
        long hash = text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = Mix64.mix(hash, text.charAt(i));
        }
        return hash;
    }
}
