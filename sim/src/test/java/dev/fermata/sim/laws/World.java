package dev.fermata.sim.laws;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * A cluster and what happens to it, drawn from a seed: every kind of oddity that the laws must survive, in small numbers,
 * so that a failing seed can be read.
 */
public record World(
        long seed,
        Topology topology,
        Workload workload,
        String estimator,
        Faults.Rates faults,
        TreeMap<Long, Long> cancels,
        List<Wish> wishes,
        boolean hostLimits) {

    /** Somebody asks for something. */
    public record Wish(long atMillis, Event event) {}

    private static final List<String> TYPES = List.of("V100", "P100", "K80", "A100");
    private static final List<String> ESTIMATORS =
            List.of("oracle", "oracle", "noisy:0.5", "declared", "history", "history", "none");
    private static final int[] NODE_SIZES = {1, 2, 4, 4, 8};
    private static final int[] GANGS = {1, 1, 1, 2, 2, 3, 4, 8};

    /** With every oddity. Jobs are held, released and described anew, some run out of time, some settle before they pause. */
    public static World of(long seed) {
        return draw(seed, true);
    }

    /** One kind of GPU, gangs of fixed size, no limits of CPU and RAM, nobody cancels. */
    public static World plain(long seed) {
        return draw(seed, false);
    }

    private static World draw(long seed, boolean odd) {
        Rng rng = Rng.stream(seed, 77);
        boolean hostLimits = rng.uniform() < 0.35 && odd;
        Topology topology = topology(rng, hostLimits, odd);
        int count = 20 + rng.below(41);
        long grain = rng.uniform() < 0.5 ? 1000 : 1;
        boolean free = rng.uniform() < 0.25;
        List<TrueJob> jobs = new ArrayList<>();
        long at = 0;
        for (int id = 1; id <= count; id++) {
            at += rng.uniform() < 0.55 ? 0 : Math.round(rng.exponential(60_000)) / grain * grain;
            jobs.add(job(id, at, grain, rng, hostLimits, free, odd));
        }
        Faults.Rates rates = rng.uniform() < 0.35
                ? new Faults.Rates(
                        rng.uniform() < 0.7 ? 5_000_000L + rng.below(20_000_000) : 0,
                        rng.uniform() < 0.7 ? 50_000_000L : 0,
                        30_000L + rng.below(600_000))
                : Faults.Rates.NONE;
        TreeMap<Long, Long> cancels = new TreeMap<>();
        int asked = rng.uniform() < 0.35 && odd ? 2 + rng.below(5) : 0;
        for (int i = 0; i < asked; i++) {
            TrueJob job = jobs.get(rng.below(count));
            cancels.put(job.submitMillis() + rng.below(400_000), job.job().id());
        }
        String estimator = ESTIMATORS.get(rng.below(ESTIMATORS.size()));
        if (!odd) {
            Workload plain = new Workload("world-" + seed, jobs);
            return new World(seed, topology, plain, estimator, rates, cancels, List.of(), hostLimits);
        }
        Rng more = Rng.stream(seed, 79);
        boolean limits = more.uniform() < 0.3;
        boolean settling = more.uniform() < 0.4;
        Workload workload = new Workload(
                "world-" + seed,
                jobs.stream().map(job -> bounded(job, limits, settling, more)).toList());
        List<Wish> wishes = more.uniform() < 0.5 ? wishes(workload.jobs(), more) : List.of();
        return new World(seed, topology, workload, estimator, rates, cancels, wishes, hostLimits);
    }

    private static TrueJob bounded(TrueJob job, boolean limits, boolean settling, Rng rng) {
        long limit = limits && rng.uniform() < 0.2 ? 1 + Math.round(job.durationMillis() * rng.uniform() * 1.5) : 0;
        long settles = settling && rng.uniform() < 0.5 ? 1 + rng.below(200_000) : 0;
        Job bounded = job.job().toBuilder(job.job().id())
                .limitMillis(limit)
                .minRuntimeMillis(settles)
                .build();
        return new TrueJob(bounded, job.submitMillis(), job.durationMillis(), job.peakMemoryMib(), job.costs());
    }

    /** Holds, each with its release, and descriptions that change all but the GPUs a job asks for; some come too late. */
    private static List<Wish> wishes(List<TrueJob> jobs, Rng rng) {
        List<Wish> wishes = new ArrayList<>();
        for (int i = 5 + rng.below(40); i > 0; i--) {
            TrueJob job = jobs.get(rng.below(jobs.size()));
            long at = job.submitMillis() + rng.below(400_000);
            if (rng.uniform() < 0.3) {
                wishes.add(new Wish(at, new Event.HoldAsked(job.job().id())));
                wishes.add(new Wish(
                        at + rng.below(300_000),
                        new Event.ReleaseAsked(job.job().id())));
            } else {
                wishes.add(new Wish(at, new Event.Changed(described(job.job(), rng))));
            }
        }
        wishes.sort(Comparator.comparingLong(Wish::atMillis));
        return wishes;
    }

    private static Job described(Job job, Rng rng) {
        List<ModelProfile> models = ModelCatalogue.generated();
        boolean otherModel = rng.uniform() < 0.3;
        return job.toBuilder(job.id())
                .name(job.name() + "-" + rng.below(9))
                .priority(rng.below(7) - 3)
                .declaredMillis(rng.uniform() < 0.5 ? job.declaredMillis() : 1 + rng.below(1_000_000))
                .queue("queue" + rng.below(3))
                .jobClass(rng.uniform() < 0.5 ? JobClass.TRIAL : JobClass.BATCH)
                .profile(otherModel ? models.get(rng.below(models.size())).reference() : job.profile())
                .maxPreemptions(
                        Math.min(job.maxPreemptions(), rng.uniform() < 0.5 ? rng.below(4) : job.maxPreemptions()))
                .minRuntimeMillis(rng.uniform() < 0.5 ? rng.below(100_000) : job.minRuntimeMillis())
                .demand(job.demand().withGpuMemory(memory(job.demand().gpuMemoryMib(), rng)))
                .build();
    }

    /** What is known of a job's memory later: never less than it truly needs, now and then more than any GPU has. */
    private static int memory(int known, Rng rng) {
        double dice = rng.uniform();
        return dice < 0.6 ? known : known + rng.below(dice < 0.9 ? 8_000 : 200_000);
    }

    /** The same world, but two of three jobs of one GPU ask for a part of it, and half of those state no memory. */
    public World inParts() {
        Rng rng = Rng.stream(seed, 78);
        List<TrueJob> parts = new ArrayList<>();
        for (TrueJob whole : workload.jobs()) {
            Demand d = whole.job().demand();
            boolean part = d.maxGpus() == 1 && rng.uniform() < 0.67;
            Demand demand = new Demand(
                    d.minGpus(),
                    d.maxGpus(),
                    part && rng.uniform() < 0.5 ? 0 : d.gpuMemoryMib(),
                    part ? 100 + 50 * rng.below(18) : d.gpuMilli(),
                    d.gpuTypes(),
                    d.cpuMilliPerGpu(),
                    d.memoryMibPerGpu());
            parts.add(new TrueJob(
                    whole.job().withDemand(demand),
                    whole.submitMillis(),
                    whole.durationMillis(),
                    demand.gpuMemoryMib() == 0 ? 0 : whole.peakMemoryMib(),
                    whole.costs()));
        }
        Workload inParts = new Workload(workload.name(), parts);
        return new World(seed, topology, inParts, estimator, faults, cancels, List.of(), hostLimits);
    }

    /** The same with other jobs, judged by what they leave behind. */
    World withHistoryOf(Workload other) {
        return new World(seed, topology, other, "history", faults, cancels, wishes, hostLimits);
    }

    /** The same, with another who says how long jobs will run. */
    World judgedBy(String other) {
        return new World(seed, topology, workload, other, faults, cancels, wishes, hostLimits);
    }

    /** Nothing breaks and nobody changes his mind: every job that is let in completes. */
    public boolean calm() {
        return cancels.isEmpty()
                && faults.equals(Faults.Rates.NONE)
                && workload.jobs().stream().allMatch(j -> j.job().limitMillis() == 0);
    }

    public TrueJob job(long id) {
        return workload.jobs().stream()
                .filter(j -> j.job().id() == id)
                .findFirst()
                .orElseThrow();
    }

    /** Whoever wants something else submits another job; memory may become known while a job waits, if the cluster has that much. */
    boolean mayRefuse(Job was, Job wish, boolean waits) {
        boolean onlyMemory =
                wish.demand().withGpuMemory(was.demand().gpuMemoryMib()).equals(was.demand());
        return !wish.demand().equals(was.demand()) && !(onlyMemory && waits && feasible(wish));
    }

    /** Whether the cluster could ever hold it, all of it free: on GPUs of one type, counted the slow and obvious way. */
    boolean feasible(Job job) {
        Demand demand = job.demand();
        for (int type = 0; type < topology.types().size(); type++) {
            long room = 0;
            for (Node node : topology.nodes()) {
                boolean allowed = node.type() == type && (demand.eligibleTypes(topology) >> type & 1) != 0;
                for (int g = 1; allowed && g <= node.gpus(); g++) {
                    room += g * demand.cpuMilliPerGpu() <= node.cpuMilli()
                                    && g * demand.memoryMibPerGpu() <= node.memoryMib()
                            ? 1
                            : 0;
                }
            }
            if (room >= demand.minGpus()) {
                return true;
            }
        }
        return false;
    }

    private static Topology topology(Rng rng, boolean hostLimits, boolean odd) {
        Topology.Builder builder = Topology.builder();
        int kinds = odd ? 1 + rng.below(3) : 1;
        int firstKind = odd ? rng.below(TYPES.size()) : 0;
        int racks = 1 + rng.below(4);
        int number = 0;
        for (int r = 0; r < racks; r++) {
            builder.rack();
            int nodes = 1 + rng.below(3);
            for (int n = 0; n < nodes; n++) {
                GpuType type = GpuCatalogue.named(TYPES.get((firstKind + rng.below(kinds)) % TYPES.size()));
                int gpus = NODE_SIZES[rng.below(NODE_SIZES.length)];
                boolean limited = hostLimits && rng.uniform() < 0.7;
                long cpus = limited ? gpus * (2000L + 1000L * rng.below(7)) : Node.UNLIMITED;
                long memory = limited ? gpus * (8192L + 4096L * rng.below(8)) : Node.UNLIMITED;
                builder.node("node" + number++, type, gpus, cpus, memory);
            }
        }
        return builder.build();
    }

    private static TrueJob job(int id, long at, long grain, Rng rng, boolean hostLimits, boolean free, boolean odd) {
        int min = GANGS[rng.below(GANGS.length)];
        int max = rng.uniform() < 0.25 && odd ? min + 1 + rng.below(min + 2) : min;
        int memory = rng.uniform() < 0.6 ? 1024 * (1 + rng.below(14)) : 0;
        int milli = memory > 0 && rng.uniform() < 0.3 ? 100 * (2 + rng.below(6)) : 1000;
        List<String> types = rng.uniform() < 0.2 && odd
                ? List.of(TYPES.get(rng.below(TYPES.size())), TYPES.get(rng.below(TYPES.size())))
                : List.of();
        long cpu = hostLimits && rng.uniform() < 0.7 ? 500L * rng.below(10) : 0;
        long ram = hostLimits && rng.uniform() < 0.7 ? 1024L * rng.below(20) : 0;
        List<ModelProfile> models = ModelCatalogue.generated();
        ModelProfile model = models.get(rng.below(models.size()));
        boolean known = rng.uniform() < 0.6 && odd;
        Costs costs = free ? Costs.NONE : costs(rng, model);
        long duration = Math.max(
                grain, Math.round(Math.min(3_000_000, Math.max(1, rng.logNormal(120_000, 1.2)))) / grain * grain);
        boolean hurried = rng.uniform() < 0.2; // cannot save in time; with a budget, or time slices would starve it
        Job job = Job.builder(id, max)
                .demand(new Demand(min, max, memory, milli, types, cpu, ram))
                .profile(known ? model.reference() : Profile.UNKNOWN)
                .costs(costs)
                .jobClass(rng.uniform() < 0.3 ? JobClass.TRIAL : JobClass.BATCH)
                .user("user" + rng.below(4))
                .declaredMillis(rng.uniform() < 0.8 ? Math.round(duration * (0.5 + 2 * rng.uniform())) : 0)
                .graceMillis(hurried ? costs.pauseMillis() / 2 : Math.max(90_000, costs.pauseMillis() * 2))
                .checkpointMillis(rng.uniform() < 0.4 ? 5_000L * (1 + rng.below(30)) : 0)
                .priority(rng.uniform() < 0.2 ? rng.below(4) - 1 : 0)
                .maxPreemptions(hurried || rng.uniform() < 0.2 ? rng.below(4) : Job.UNLIMITED_PREEMPTIONS)
                .build();
        if (id % 5 == 0) { // without a draw, so that the worlds stay as they were otherwise
            Tier enough = id % 2 == 0 ? Tier.RACK : Tier.NODE;
            job = job.toBuilder(id)
                    .locality(new Locality(enough, 20_000L * (id % 3)))
                    .build();
        }
        int peak = memory == 0 ? 1024 * rng.below(8) : memory - rng.below(512);
        Costs truth = rng.uniform() < 0.8 ? costs : costs.scaled(0.5 + rng.uniform());
        return new TrueJob(job, at, duration, peak, truth);
    }

    private static Costs costs(Rng rng, ModelProfile model) {
        return switch (rng.below(5)) {
            case 0 -> Costs.NONE;
            case 1 -> new Costs(rng.below(3), rng.below(3), rng.below(3), rng.below(3));
            case 2 -> new Costs(60_000, 20_000, 40_000, 10_000);
            case 3 -> new Costs(rng.below(20_000), rng.below(20_000), rng.below(20_000), rng.below(20_000));
            default -> model.costs();
        };
    }
}
