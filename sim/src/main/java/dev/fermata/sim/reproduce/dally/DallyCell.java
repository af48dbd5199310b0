package dev.fermata.sim.reproduce.dally;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One cluster, workload and network, and what a policy makes of it. */
record DallyCell(String cluster, String arrivals, String workload, DallyNetwork network) {
    private static final String BATCH = "dally:jobs=500";
    private static final String POISSON = "dally:jobs=411,gap=1460,singles=0";
    private static final String ALL_BERT = POISSON + ",bert=1";
    /** Racks of eight machines of eight GPUs. */
    private static final String SMALL = "2x8x8";

    private static final String MIDDLE = "4x8x8";
    private static final String LARGE = "8x8x8";

    static final DallyCell BATCH_128 = batch(SMALL, DallyNetwork.DEFAULT);
    static final DallyCell BATCH_256 = batch(MIDDLE, DallyNetwork.DEFAULT);
    static final DallyCell BATCH_512 = batch(LARGE, DallyNetwork.DEFAULT);
    static final DallyCell POISSON_128 = poisson(SMALL, DallyNetwork.DEFAULT);
    static final DallyCell POISSON_256 = poisson(MIDDLE, DallyNetwork.DEFAULT);
    static final DallyCell POISSON_512 = poisson(LARGE, DallyNetwork.DEFAULT);
    static final DallyCell BATCH_CONGESTED = batch(MIDDLE, DallyNetwork.CONGESTED);
    static final DallyCell POISSON_CONGESTED = poisson(MIDDLE, DallyNetwork.CONGESTED);
    static final DallyCell BATCH_HEAVY = batch(MIDDLE, DallyNetwork.HEAVY);
    static final DallyCell POISSON_HEAVY = poisson(MIDDLE, DallyNetwork.HEAVY);

    /** Ours: only models that Tiresias' rule does not gather although the network hurts them. */
    static final DallyCell BERT = new DallyCell(SMALL, "Poisson, all bert-large", ALL_BERT, DallyNetwork.HEAVY);
    /** The cells with the authors' mix of models. */
    static final List<DallyCell> MIXED = List.of(
            BATCH_128,
            BATCH_256,
            BATCH_512,
            POISSON_128,
            POISSON_256,
            POISSON_512,
            BATCH_CONGESTED,
            POISSON_CONGESTED,
            BATCH_HEAVY,
            POISSON_HEAVY);

    /** Where parts of the policies are taken away. */
    static final List<DallyCell> ABLATED = List.of(BATCH_256, POISSON_256, BATCH_HEAVY, POISSON_HEAVY);

    /** Hours, and a count: means over the jobs of one run. */
    record Outcome(double makespan, double jct, double queueing, double communication, double preemptions) {}

    private static DallyCell batch(String cluster, DallyNetwork network) {
        return new DallyCell(cluster, "batch", BATCH, network);
    }

    private static DallyCell poisson(String cluster, DallyNetwork network) {
        return new DallyCell(cluster, "Poisson", POISSON, network);
    }

    String words() {
        return arrivals + ", " + cluster + ", " + network.words() + " network";
    }

    /** Runs a policy; Gandiva leaves its GPUs at no cost, as in the authors' code. */
    Outcome run(Lab lab, String policy, long seed) {
        Topology topology = ClusterSpec.parse(cluster, network.network());
        Workload drawn = WorkloadSpec.generate(workload, topology, seed);
        Workload jobs = policy.startsWith("gandiva") ? drawn.withCosts(costs -> Costs.NONE) : drawn;
        RunResult result = lab.simulate(cluster, topology, jobs, policy, seed);
        return new Outcome(
                result.summary().makespanSeconds() / 3600,
                result.summary().all().jct().mean() / 3600,
                result.summary().all().waiting().mean() / 3600,
                communicationHours(result, jobs, topology),
                result.summary().preemptions());
    }

    /** Run time beyond what the job would compute without a network, the mean over jobs. */
    private static double communicationHours(RunResult result, Workload workload, Topology topology) {
        Map<Long, Double> compute = new HashMap<>();
        for (TrueJob job : workload.jobs()) {
            compute.put(job.job().id(), job.durationMillis() / SpeedModel.withoutNetwork(job.job(), topology, 0));
        }
        double sum = 0;
        for (JobResult job : result.jobs()) {
            sum += job.runMillis() - compute.getOrDefault(job.id(), 0.0);
        }
        return sum / result.jobs().size() / 3_600_000;
    }
}
