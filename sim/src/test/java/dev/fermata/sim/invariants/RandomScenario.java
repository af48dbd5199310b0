package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Rack;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster and what happens to it, drawn from a seed: every special case that the laws must survive, in small numbers,
 * so that a failing seed can be read.
 */
public record RandomScenario(
        long seed,
        Topology topology,
        Workload workload,
        String estimator,
        Faults.FaultRates faults,
        TreeMap<Long, Long> cancels,
        List<ScenarioRequest> requests,
        boolean hostLimits,
        boolean changing) {
    RandomScenario(
            long seed,
            Topology topology,
            Workload workload,
            String estimator,
            Faults.FaultRates faults,
            TreeMap<Long, Long> cancels,
            List<ScenarioRequest> requests,
            boolean hostLimits) {
        this(seed, topology, workload, estimator, faults, cancels, requests, hostLimits, false);
    }

    /** A user request. */
    public record ScenarioRequest(long atMillis, Event event) {}

    private static final List<String> TYPES = List.of("V100", "P100", "K80", "A100");
    private static final List<String> ESTIMATORS =
            List.of("oracle", "oracle", "noisy:0.5", "declared", "history", "history", "none");
    private static final int[] NODE_SIZES = {1, 2, 4, 4, 8};
    private static final int[] GANGS = {1, 1, 1, 2, 2, 3, 4, 8};

    /**
     * With every special case. Jobs are held, released and updated, nodes are drained, some jobs reach their time limit, some have a minimum
     * run time.
     */
    public static RandomScenario of(long seed) {
        return draw(seed, true);
    }

    /** One type of GPU, gangs of fixed size, no limits of CPU and RAM, no cancellations. */
    public static RandomScenario simple(long seed) {
        return draw(seed, false);
    }

    private static RandomScenario draw(long seed, boolean irregular) {
        Rng rng = Rng.stream(seed, 77);
        boolean hostLimits = rng.uniform() < 0.35 && irregular;
        Topology topology = topology(rng, hostLimits, irregular);
        int count = 20 + rng.uniformInt(41);
        long granularity = rng.uniform() < 0.5 ? 1000 : 1;
        boolean free = rng.uniform() < 0.25;
        List<SimulatedJob> jobs = new ArrayList<>();
        long at = 0;
        for (int id = 1; id <= count; id++) {
            at += rng.uniform() < 0.55 ? 0 : Math.round(rng.exponential(60_000)) / granularity * granularity;
            jobs.add(job(id, at, granularity, rng, hostLimits, free, irregular));
        }
        Faults.FaultRates rates = rng.uniform() < 0.35
                ? new Faults.FaultRates(
                        rng.uniform() < 0.7 ? 5_000_000L + rng.uniformInt(20_000_000) : 0,
                        rng.uniform() < 0.7 ? 50_000_000L : 0,
                        30_000L + rng.uniformInt(600_000))
                : Faults.FaultRates.NONE;
        TreeMap<Long, Long> cancels = new TreeMap<>();
        int requested = rng.uniform() < 0.35 && irregular ? 2 + rng.uniformInt(5) : 0;
        for (int i = 0; i < requested; i++) {
            SimulatedJob job = jobs.get(rng.uniformInt(count));
            cancels.put(job.submitMillis() + rng.uniformInt(400_000), job.job().id());
        }
        String estimator = ESTIMATORS.get(rng.uniformInt(ESTIMATORS.size()));
        if (!irregular) {
            Workload plain = new Workload("scenario-" + seed, jobs);
            return new RandomScenario(seed, topology, plain, estimator, rates, cancels, List.of(), hostLimits);
        }
        Rng more = Rng.stream(seed, 79);
        boolean limits = more.uniform() < 0.3;
        boolean withMinRuntime = more.uniform() < 0.4;
        Workload workload = new Workload(
                "scenario-" + seed,
                jobs.stream()
                        .map(job -> withLimits(job, limits, withMinRuntime, more))
                        .toList());
        List<ScenarioRequest> requests =
                new ArrayList<>(more.uniform() < 0.5 ? requests(workload.jobs(), more) : List.of());
        requests.addAll(drains(topology, at, Rng.stream(seed, 82)));
        requests.sort(Comparator.comparingLong(ScenarioRequest::atMillis));
        return new RandomScenario(seed, topology, workload, estimator, rates, cancels, requests, hostLimits);
    }

    /** The same on a cluster that has lost about a quarter of its GPUs, as the history learns in the first cycle. */
    RandomScenario withMissingGpus() {
        Rng rng = Rng.stream(seed, 83);
        Topology.Builder builder = Topology.builder().network(topology.network());
        for (Rack rack : topology.racks()) {
            builder.rack(rack.name());
            for (Node node : topology.nodes().subList(rack.firstNode(), rack.endNode())) {
                List<Integer> missing = new ArrayList<>();
                for (int position = 0; position < node.gpus(); position++) {
                    if (rng.uniform() < 0.25) {
                        missing.add(position);
                    }
                }
                builder.node(
                        node.name(),
                        topology.types().get(node.type()),
                        node.gpus(),
                        node.cpuMilli(),
                        node.memoryMib(),
                        new NodeInventory(node.id(), List.of(), missing));
            }
        }
        Topology smaller = builder.build();
        List<ScenarioRequest> all = new ArrayList<>(requests);
        all.add(0, new ScenarioRequest(0, new Event.ClusterChanged(smaller)));
        return new RandomScenario(seed, smaller, workload, estimator, faults, cancels, all, hostLimits);
    }

    /** The same on a cluster whose nodes come and go, for about as long as jobs arrive. No faults besides. */
    RandomScenario withNodeChanges() {
        int begin = nodeChanges(topology).beginning().nodes().size();
        List<ScenarioRequest> all = requests.stream()
                .filter(request -> !(request.event() instanceof Event.NodeDrained drain && drain.node() >= begin))
                .filter(request -> !(request.event() instanceof Event.NodeUndrained drain && drain.node() >= begin))
                .toList();
        return new RandomScenario(
                seed, topology, workload, estimator, Faults.FaultRates.NONE, cancels, all, hostLimits, true);
    }

    /** The same on a cluster whose engine has every fault that the simulator knows, for as long as it runs. */
    RandomScenario withEveryFault() {
        Rng rng = Rng.stream(seed, 86);
        Faults.NodeChangeRates changes = new Faults.NodeChangeRates(
                8_000_000L + rng.uniformInt(20_000_000),
                20_000L + rng.uniformInt(300_000),
                4_000_000L + rng.uniformInt(10_000_000),
                20_000L + rng.uniformInt(200_000),
                3_000_000L + rng.uniformInt(10_000_000),
                20_000L + rng.uniformInt(300_000));
        Faults.FaultRates all = new Faults.FaultRates(20_000_000L, 60_000_000L, 30_000L, changes);
        return new RandomScenario(seed, topology, workload, estimator, all, cancels, requests, hostLimits);
    }

    /** How its nodes come and go; null where they stay. */
    @Nullable
    NodeChanges nodeChanges() {
        return changing ? nodeChanges(topology) : null;
    }

    private NodeChanges nodeChanges(Topology all) {
        return new NodeChanges(
                all, workload.jobs().get(workload.jobs().size() - 1).submitMillis() + 300_000, seed);
    }

    private static SimulatedJob withLimits(SimulatedJob job, boolean limits, boolean withMinRuntime, Rng rng) {
        long limit = limits && rng.uniform() < 0.2 ? 1 + Math.round(job.durationMillis() * rng.uniform() * 1.5) : 0;
        long minRuntimeMillis = withMinRuntime && rng.uniform() < 0.5 ? 1 + rng.uniformInt(200_000) : 0;
        Job bounded = job.job().toBuilder(job.job().id())
                .limitMillis(limit)
                .minRuntimeMillis(minRuntimeMillis)
                .build();
        return new SimulatedJob(bounded, job.submitMillis(), job.durationMillis(), job.peakMemoryMib(), job.costs());
    }

    /** In every third scenario nodes are drained for a while. */
    private static List<ScenarioRequest> drains(Topology topology, long endMillis, Rng rng) {
        List<ScenarioRequest> drains = new ArrayList<>();
        for (int i = rng.uniform() < 0.35 ? 1 + rng.uniformInt(4) : 0; i > 0; i--) {
            int node = rng.uniformInt(topology.nodes().size());
            long at = Math.round(rng.uniform() * endMillis);
            drains.add(new ScenarioRequest(at, new Event.NodeDrained(node)));
            drains.add(new ScenarioRequest(at + 1 + rng.uniformInt(600_000), new Event.NodeUndrained(node)));
        }
        return drains;
    }

    /** Holds, each with its release, and updates that change all but the GPUs of a job; some come too late. */
    private static List<ScenarioRequest> requests(List<SimulatedJob> jobs, Rng rng) {
        List<ScenarioRequest> requests = new ArrayList<>();
        for (int i = 5 + rng.uniformInt(40); i > 0; i--) {
            SimulatedJob job = jobs.get(rng.uniformInt(jobs.size()));
            long at = job.submitMillis() + rng.uniformInt(400_000);
            if (rng.uniform() < 0.3) {
                requests.add(new ScenarioRequest(
                        at, new Event.HoldRequested(job.job().id())));
                requests.add(new ScenarioRequest(
                        at + rng.uniformInt(300_000),
                        new Event.ReleaseRequested(job.job().id())));
            } else {
                requests.add(new ScenarioRequest(
                        at, new Event.JobUpdated(withChangedDescription(job.job(), job.peakMemoryMib(), rng))));
            }
        }
        requests.sort(Comparator.comparingLong(ScenarioRequest::atMillis));
        return requests;
    }

    private static Job withChangedDescription(Job job, int peakMib, Rng rng) {
        List<ModelProfile> models = ModelCatalogue.generated();
        boolean otherModel = rng.uniform() < 0.3;
        return job.toBuilder(job.id())
                .name(job.name() + "-" + rng.uniformInt(9))
                .priority(rng.uniformInt(7) - 3)
                .declaredMillis(rng.uniform() < 0.5 ? job.declaredMillis() : 1 + rng.uniformInt(1_000_000))
                .queue("queue" + rng.uniformInt(3))
                .jobClass(rng.uniform() < 0.5 ? JobClass.TRIAL : JobClass.BATCH)
                .profile(otherModel ? models.get(rng.uniformInt(models.size())).reference() : job.profile())
                .maxPreemptions(
                        Math.min(job.maxPreemptions(), rng.uniform() < 0.5 ? rng.uniformInt(4) : job.maxPreemptions()))
                .minRuntimeMillis(rng.uniform() < 0.5 ? rng.uniformInt(100_000) : job.minRuntimeMillis())
                .demand(job.demand().withGpuMemory(changedMemory(job.demand().gpuMemoryMib(), peakMib, rng)))
                .build();
    }

    /** What is known of a job's memory later: never less than it truly needs, now and then more than any GPU has. */
    private static int changedMemory(int known, int peakMib, Rng rng) {
        double draw = rng.uniform();
        return draw < 0.6 ? known : Math.max(peakMib, known + rng.uniformInt(draw < 0.9 ? 8_000 : 200_000));
    }

    /** The same scenario, but two of three jobs of one GPU request a part of it, and half of those state no memory. */
    public RandomScenario withFractionalGpus() {
        Rng rng = Rng.stream(seed, 78);
        List<SimulatedJob> parts = new ArrayList<>();
        for (SimulatedJob whole : workload.jobs()) {
            Demand d = whole.job().demand();
            boolean part = d.maxGpus() == 1 && rng.uniform() < 0.67;
            Demand demand = new Demand(
                    d.minGpus(),
                    d.maxGpus(),
                    part && rng.uniform() < 0.5 ? 0 : d.gpuMemoryMib(),
                    part ? 100 + 50 * rng.uniformInt(18) : d.gpuMilli(),
                    d.gpuTypes(),
                    d.cpuMilliPerGpu(),
                    d.memoryMibPerGpu(),
                    d.splitsBatch());
            parts.add(new SimulatedJob(
                    whole.job().withDemand(demand),
                    whole.submitMillis(),
                    whole.durationMillis(),
                    demand.gpuMemoryMib() == 0 ? 0 : whole.peakMemoryMib(),
                    whole.costs()));
        }
        Workload inParts = new Workload(workload.name(), parts);
        return new RandomScenario(seed, topology, inParts, estimator, faults, cancels, List.of(), hostLimits);
    }

    /**
     * The same, but two of three jobs can be suspended in place, at any price. Nodes have little host memory for that, and some
     * jobs return to their very GPUs alone.
     */
    RandomScenario withSuspension() {
        Rng rng = Rng.stream(seed, 84);
        List<SimulatedJob> jobs = new ArrayList<>();
        for (SimulatedJob job : workload.jobs()) {
            SuspendCosts suspend = rng.uniform() < 0.33
                    ? SuspendCosts.CANNOT
                    : new SuspendCosts(
                            rng.uniformInt(4) == 0 ? 0 : rng.uniformInt(20_000),
                            rng.uniformInt(4) == 0 ? 0 : rng.uniformInt(10_000),
                            1024L * rng.uniformInt(20),
                            rng.uniform() < 0.3 ? SuspendCosts.Reach.SAME_GPUS : SuspendCosts.Reach.SAME_NODE);
            Costs costs = job.job().costs().withSuspend(suspend);
            jobs.add(new SimulatedJob(
                    job.job().withCosts(costs),
                    job.submitMillis(),
                    job.durationMillis(),
                    job.peakMemoryMib(),
                    job.costs().withSuspend(suspend)));
        }
        Topology limited = topology.withSuspendMemoryMib(1024L * rng.uniformInt(64));
        Workload suspendable = new Workload(workload.name(), jobs);
        return new RandomScenario(seed, limited, suspendable, estimator, faults, cancels, requests, hostLimits);
    }

    /** The same with other jobs. */
    RandomScenario withWorkload(Workload other) {
        return new RandomScenario(seed, topology, other, "history", faults, cancels, requests, hostLimits);
    }

    /** The same with another estimator. */
    public RandomScenario withEstimator(String other) {
        return new RandomScenario(seed, topology, workload, other, faults, cancels, requests, hostLimits);
    }

    /** No faults and no cancellations: every admitted job completes. */
    public boolean isCalm() {
        return cancels.isEmpty()
                && faults.equals(Faults.FaultRates.NONE)
                && workload.jobs().stream().allMatch(j -> j.job().limitMillis() == 0);
    }

    /** Whether CPU or RAM may be short on one of these nodes. */
    boolean limitsHostsOf(Allocation allocation) {
        for (int k = 0; k < allocation.nodeCount(); k++) {
            if (topology.node(allocation.node(k)).cpuMilli() != Node.UNLIMITED) {
                return true;
            }
        }
        return false;
    }

    public SimulatedJob job(long id) {
        return workload.jobs().stream()
                .filter(j -> j.job().id() == id)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Whether an update is invalid: the demand must stay, but memory may become known while a job is pending, if the
     * cluster has that much.
     */
    boolean mayReject(Job was, Job request, boolean pending, IntPredicate missing) {
        boolean onlyMemory =
                request.demand().withGpuMemory(was.demand().gpuMemoryMib()).equals(was.demand());
        return !request.demand().equals(was.demand()) && !(onlyMemory && pending && isFeasible(request, missing));
    }

    /** Whether the cluster could ever hold it, all of it free: on GPUs of one type, counted the slow and obvious way. */
    boolean isFeasible(Job job) {
        return isFeasible(job, topology::isMissing);
    }

    /** The same where other GPUs are missing. */
    boolean isFeasible(Job job, IntPredicate missing) {
        Demand demand = job.demand();
        for (int type = 0; type < topology.types().size(); type++) {
            long capacity = 0;
            for (Node node : topology.nodes()) {
                boolean allowed = node.type() == type && (demand.eligibleTypes(topology) >> type & 1) != 0;
                long gpus = IntStream.range(node.firstGpu(), node.endGpu())
                        .filter(missing.negate())
                        .count();
                for (int g = 1; allowed && g <= gpus; g++) {
                    capacity += g * demand.cpuMilliPerGpu() <= node.cpuMilli()
                                    && g * demand.memoryMibPerGpu() <= node.memoryMib()
                            ? 1
                            : 0;
                }
            }
            if (capacity >= demand.minGpus()) {
                return true;
            }
        }
        return false;
    }

    private static Topology topology(Rng rng, boolean hostLimits, boolean irregular) {
        Topology.Builder builder = Topology.builder();
        int types = irregular ? 1 + rng.uniformInt(3) : 1;
        int firstType = irregular ? rng.uniformInt(TYPES.size()) : 0;
        int racks = 1 + rng.uniformInt(4);
        int number = 0;
        for (int r = 0; r < racks; r++) {
            builder.rack();
            int nodes = 1 + rng.uniformInt(3);
            for (int n = 0; n < nodes; n++) {
                GpuType type = GpuCatalogue.byName(TYPES.get((firstType + rng.uniformInt(types)) % TYPES.size()));
                int gpus = NODE_SIZES[rng.uniformInt(NODE_SIZES.length)];
                boolean limited = hostLimits && rng.uniform() < 0.7;
                long cpus = limited ? gpus * (2000L + 1000L * rng.uniformInt(7)) : Node.UNLIMITED;
                long memory = limited ? gpus * (8192L + 4096L * rng.uniformInt(8)) : Node.UNLIMITED;
                builder.node("node" + number++, type, gpus, cpus, memory);
            }
        }
        return builder.build();
    }

    private static SimulatedJob job(
            int id, long at, long granularity, Rng rng, boolean hostLimits, boolean free, boolean irregular) {
        int min = GANGS[rng.uniformInt(GANGS.length)];
        int max = rng.uniform() < 0.25 && irregular ? min + 1 + rng.uniformInt(min + 2) : min;
        int memory = rng.uniform() < 0.6 ? 1024 * (1 + rng.uniformInt(14)) : 0;
        int milli = memory > 0 && rng.uniform() < 0.3 ? 100 * (2 + rng.uniformInt(6)) : 1000;
        List<String> types = rng.uniform() < 0.2 && irregular
                ? List.of(TYPES.get(rng.uniformInt(TYPES.size())), TYPES.get(rng.uniformInt(TYPES.size())))
                : List.of();
        long cpu = hostLimits && rng.uniform() < 0.7 ? 500L * rng.uniformInt(10) : 0;
        long ram = hostLimits && rng.uniform() < 0.7 ? 1024L * rng.uniformInt(20) : 0;
        List<ModelProfile> models = ModelCatalogue.generated();
        ModelProfile model = models.get(rng.uniformInt(models.size()));
        boolean known = rng.uniform() < 0.6 && irregular;
        Costs costs = free ? Costs.NONE : costs(rng, model);
        long duration = Math.max(
                granularity,
                Math.round(Math.min(3_000_000, Math.max(1, rng.logNormal(120_000, 1.2)))) / granularity * granularity);
        boolean cannotSave = rng.uniform() < 0.2; // cannot save in time; with a budget, or time slices would starve it
        Job job = Job.builder(id, max)
                .demand(new Demand(min, max, memory, milli, types, cpu, ram, id % 2 == 0))
                .profile(known ? model.reference() : Profile.UNKNOWN)
                .costs(costs)
                .jobClass(rng.uniform() < 0.3 ? JobClass.TRIAL : JobClass.BATCH)
                .user("user" + rng.uniformInt(4))
                .declaredMillis(rng.uniform() < 0.8 ? Math.round(duration * (0.5 + 2 * rng.uniform())) : 0)
                .graceMillis(cannotSave ? costs.preemptMillis() / 2 : Math.max(90_000, costs.preemptMillis() * 2))
                .checkpointMillis(rng.uniform() < 0.4 ? 5_000L * (1 + rng.uniformInt(30)) : 0)
                .priority(rng.uniform() < 0.2 ? rng.uniformInt(4) - 1 : 0)
                .maxPreemptions(cannotSave || rng.uniform() < 0.2 ? rng.uniformInt(4) : Job.UNLIMITED_PREEMPTIONS)
                .build();
        if (id % 5 == 0) { // without a draw, so that the scenarios of the seeds stay the same otherwise
            Tier enough = id % 2 == 0 ? Tier.RACK : Tier.NODE;
            job = job.toBuilder(id)
                    .locality(new Locality(enough, 20_000L * (id % 3)))
                    .build();
        }
        int peak = memory == 0 ? 1024 * rng.uniformInt(8) : memory - rng.uniformInt(512);
        Costs trueCosts = rng.uniform() < 0.8 ? costs : costs.scaled(0.5 + rng.uniform());
        return new SimulatedJob(job, at, duration, peak, trueCosts);
    }

    private static Costs costs(Rng rng, ModelProfile model) {
        return switch (rng.uniformInt(5)) {
            case 0 -> Costs.NONE;
            case 1 -> new Costs(rng.uniformInt(3), rng.uniformInt(3), rng.uniformInt(3), rng.uniformInt(3));
            case 2 -> new Costs(60_000, 20_000, 40_000, 10_000);
            case 3 ->
                new Costs(
                        rng.uniformInt(20_000), rng.uniformInt(20_000), rng.uniformInt(20_000), rng.uniformInt(20_000));
            default -> model.costs();
        };
    }
}
