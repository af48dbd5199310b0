package dev.fermata.core.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPU type × placement × size × neighbours, in closed form. One code for what policies predict and for what the
 * simulated engine does; the simulated engine may know truer profiles and busier links, never other formulas.
 */
public final class SpeedModel {
    /** Measured co-run iterations are this much slower than the pure busy-time model predicts (papers, section 5.4). */
    public static final double INTERFERENCE = 1.15;

    private static final double MIN_CROWDING = 0.1;

    private SpeedModel() {}

    /** Speed of a job alone on its GPUs, relative to the reference GPU in the tightest placement of its full size. */
    public static Speed speedAlone(Job job, Allocation allocation, Topology topology) {
        return speedAlone(job, allocation, topology, topology.network());
    }

    /** The same over links of this network; the reference stays the network of the topology. */
    public static Speed speedAlone(Job job, Allocation allocation, Topology topology, Network network) {
        Shape shape = allocation.shape();
        if (!allocation.mixed()) {
            return speedAlone(job, topology, topology.typeOf(allocation.gpu(0)), allocation.size(), shape, network);
        }
        int[] counts = new int[topology.types().size()];
        for (int k = 0; k < allocation.nodeCount(); k++) {
            counts[topology.node(allocation.node(k)).type()] += allocation.gpusOn(k);
        }
        return speedOnMixedTypes(job, topology, counts, shape, network);
    }

    public static Speed speedAlone(Job job, Topology topology, int type, int gpus, Shape shape) {
        return speedAlone(job, topology, type, gpus, shape, topology.network());
    }

    private static Speed speedAlone(Job job, Topology topology, int type, int gpus, Shape shape, Network network) {
        Profile profile = job.profile();
        int fullSize = job.demand().maxGpus();
        double typeSpeed = profile.speedOn(topology.types().get(type));
        double compute = profile.iterationMillis() / typeSpeed * fullSize / gpus;
        if (profile.gradientMib() == 0 || fullSize == 1) {
            return new Speed(toMicro(profile.iterationMillis() / compute), 0);
        }
        double reference = referenceIterationMillis(job, topology, type);
        double actual = iterationMillis(profile, compute, shape, network);
        return new Speed(toMicro(reference / actual), 1 - compute / actual);
    }

    /**
     * Speed on GPUs of several types, counted by type. The job splits each batch in proportion to their speed, so all
     * of them finish together. The reference is the closest placement of its full size on any of these types. With one
     * type it equals {@link #speedAlone(Job, Topology, int, int, Shape)}.
     */
    public static Speed speedOnMixedTypes(Job job, Topology topology, int[] counts, Shape shape) {
        return speedOnMixedTypes(job, topology, counts, shape, topology.network());
    }

    private static Speed speedOnMixedTypes(Job job, Topology topology, int[] counts, Shape shape, Network network) {
        Profile profile = job.profile();
        int fullSize = job.demand().maxGpus();
        double speeds = 0;
        double reference = Double.POSITIVE_INFINITY;
        boolean withoutCommunication = profile.gradientMib() == 0 || fullSize == 1;
        for (int t = 0; t < counts.length; t++) {
            if (counts[t] > 0) {
                speeds += counts[t] * profile.speedOn(topology.types().get(t));
                if (!withoutCommunication) {
                    reference = Math.min(reference, referenceIterationMillis(job, topology, t));
                }
            }
        }
        double compute = profile.iterationMillis() * fullSize / speeds;
        if (withoutCommunication) {
            return new Speed(toMicro(profile.iterationMillis() / compute), 0);
        }
        double actual = iterationMillis(profile, compute, shape, network);
        return new Speed(toMicro(reference / actual), 1 - compute / actual);
    }

    /** The part of each batch that each GPU should get, so that all finish together: in proportion to their speed. */
    public static List<Double> batchShares(Job job, Allocation allocation, Topology topology) {
        double[] speeds = new double[allocation.size()];
        double sum = 0;
        for (int i = 0; i < speeds.length; i++) {
            speeds[i] = job.profile().speedOn(topology.types().get(topology.typeOf(allocation.gpu(i))));
            sum += speeds[i];
        }
        List<Double> shares = new ArrayList<>();
        for (double speed : speeds) {
            shares.add(speed / sum);
        }
        return shares;
    }

    /** One iteration on reference GPUs, placed as closely as GPUs of a type can be here, at full size. */
    private static double referenceIterationMillis(Job job, Topology topology, int type) {
        Profile profile = job.profile();
        return iterationMillis(
                profile,
                profile.iterationMillis(),
                topology.tightest(type, job.demand().maxGpus()),
                topology.network());
    }

    /** An upper bound of a full-size job's speed on a type: its speed there if the network cost nothing. */
    public static double speedWithoutNetwork(Job job, Topology topology, int type) {
        Profile profile = job.profile();
        return profile.speedOn(topology.types().get(type))
                * referenceIterationMillis(job, topology, type)
                / profile.iterationMillis();
    }

    /**
     * One iteration in which the all-reduce of each layer overlaps the rest of the backward pass. That pass is two
     * thirds of compute, layers have equal size. Either the last layer's transfer sticks out, or the channel is the
     * bottleneck.
     */
    static double iterationMillis(Profile profile, double compute, Shape shape, Network network) {
        double perLayer = network.allReduceMillis(shape, profile.gradientMib() / profile.layers());
        double firstReady = compute / 3 + 2 * compute / (3 * profile.layers());
        return Math.max(compute + perLayer, firstReady + profile.layers() * perLayer);
    }

    /**
     * How much longer an iteration takes when co-located with these jobs: as it was measured with one of them, else by the formula.
     * Where only pairs were measured, what each of several neighbours adds is added up, which is what three jobs on one GPU
     * come to (docs/research/profiles.md).
     */
    public static double coRunSlowdown(Profile own, List<Profile> others) {
        boolean measured = false;
        for (Profile other : others) {
            measured |= own.coRunSlowdown().containsKey(other.model());
        }
        if (!measured) {
            double[] busy = new double[others.size()];
            for (int i = 0; i < busy.length; i++) {
                busy[i] = others.get(i).busyShare();
            }
            return coRunSlowdown(own.busyShare(), busy);
        }
        double slowdown = 1;
        for (Profile other : others) {
            Double seen = own.coRunSlowdown().get(other.model());
            slowdown += (seen != null ? seen : coRunSlowdown(own.busyShare(), other.busyShare())) - 1;
        }
        return slowdown;
    }

    /** Whether both were measured together, and get no more done together than one of them alone. */
    public static boolean isProvenUnprofitable(Profile one, Profile other) {
        Double first = one.coRunSlowdown().get(other.model());
        Double second = other.coRunSlowdown().get(one.model());
        return first != null && second != null && 1 / first + 1 / second <= 1;
    }

    /** Busy shares of two jobs. */
    public record BusyShares(double one, double other) {}

    /**
     * The busy shares for which the formula predicts this slowdown of two jobs, or null. It is null when busy phases
     * stretch by less than a tenth: then many shares fit, and a small measurement error would decide. From {@code (1-a)
     * + k a} for each and {@code sum a/((1-a) + k a) = 1}.
     */
    public static @Nullable BusyShares busySharesFor(double slowdownOfOne, double slowdownOfOther) {
        double one = Math.max(1, slowdownOfOne / INTERFERENCE);
        double other = Math.max(1, slowdownOfOther / INTERFERENCE);
        double crowding = 2 - 1 / one - 1 / other; // k - 1
        return crowding < MIN_CROWDING
                ? null
                : new BusyShares(Math.min(1, (one - 1) / crowding), Math.min(1, (other - 1) / crowding));
    }

    /**
     * How much longer an iteration of a job with busy share {@code own} takes when co-located with others: the common
     * stretch k of busy phases solves {@code sum b/((1-b) + k b) = 1}.
     */
    public static double coRunSlowdown(double own, double... others) {
        if (others.length == 0) {
            return 1;
        }
        double k = 1;
        if (busyDemand(1, own, others) > 1) {
            double low = 1;
            double high = others.length + 1;
            for (int i = 0; i < 50; i++) {
                k = (low + high) / 2;
                if (busyDemand(k, own, others) > 1) {
                    low = k;
                } else {
                    high = k;
                }
            }
        }
        return ((1 - own) + k * own) * INTERFERENCE;
    }

    private static double busyDemand(double k, double own, double[] others) {
        double sum = own / ((1 - own) + k * own);
        for (double b : others) {
            sum += b / ((1 - b) + k * b);
        }
        return sum;
    }

    private static long toMicro(double ratio) {
        return Math.max(1, Math.round(ratio * Speed.UNIT));
    }
}
