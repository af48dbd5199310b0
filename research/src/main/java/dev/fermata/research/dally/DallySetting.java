package dev.fermata.research.dally;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One cluster, workload and network, and the run of a policy on it. */
record DallySetting(String cluster, String arrivals, String workload, DallyNetwork network) {
    private static final String BATCH = "dally:jobs=500";
    private static final String POISSON = "dally:jobs=411,gap=1460,singles=0";
    private static final String ALL_BERT = POISSON + ",bert=1";
    /** Racks of eight machines of eight GPUs. */
    private static final String SMALL = "2x8x8";

    private static final String MIDDLE = "4x8x8";
    private static final String LARGE = "8x8x8";

    static final DallySetting BATCH_128 = batch(SMALL, DallyNetwork.DEFAULT);
    static final DallySetting BATCH_256 = batch(MIDDLE, DallyNetwork.DEFAULT);
    static final DallySetting BATCH_512 = batch(LARGE, DallyNetwork.DEFAULT);
    static final DallySetting POISSON_128 = poisson(SMALL, DallyNetwork.DEFAULT);
    static final DallySetting POISSON_256 = poisson(MIDDLE, DallyNetwork.DEFAULT);
    static final DallySetting POISSON_512 = poisson(LARGE, DallyNetwork.DEFAULT);
    static final DallySetting BATCH_CONGESTED = batch(MIDDLE, DallyNetwork.CONGESTED);
    static final DallySetting POISSON_CONGESTED = poisson(MIDDLE, DallyNetwork.CONGESTED);
    static final DallySetting BATCH_HEAVY = batch(MIDDLE, DallyNetwork.HEAVY);
    static final DallySetting POISSON_HEAVY = poisson(MIDDLE, DallyNetwork.HEAVY);

    /** Ours: only models that Tiresias' rule does not consolidate although the network slows them down. */
    static final DallySetting BERT = new DallySetting(SMALL, "Poisson, all bert-large", ALL_BERT, DallyNetwork.HEAVY);
    /** The cells with the authors' mix of models. */
    static final List<DallySetting> MIXED = List.of(
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

    /** The setting of the ablations. */
    static final List<DallySetting> ABLATED = List.of(BATCH_256, POISSON_256, BATCH_HEAVY, POISSON_HEAVY);

    /** Hours, and a count: means over the jobs of one run. */
    record DallyOutcome(double makespan, double jct, double queueing, double communication, double preemptions) {}

    /** The cells of a trace: three sizes on the default network, the middle one on the others. */
    static List<DallySetting> ofTrace(String name) {
        return List.of(
                new DallySetting(SMALL, name, name, DallyNetwork.DEFAULT),
                new DallySetting(MIDDLE, name, name, DallyNetwork.DEFAULT),
                new DallySetting(LARGE, name, name, DallyNetwork.DEFAULT),
                new DallySetting(MIDDLE, name, name, DallyNetwork.CONGESTED),
                new DallySetting(MIDDLE, name, name, DallyNetwork.HEAVY));
    }

    private static DallySetting batch(String cluster, DallyNetwork network) {
        return new DallySetting(cluster, "batch", BATCH, network);
    }

    private static DallySetting poisson(String cluster, DallyNetwork network) {
        return new DallySetting(cluster, "Poisson", POISSON, network);
    }

    String label() {
        return arrivals + ", " + cluster + ", " + network.label() + " network";
    }

    Topology topology() {
        return ClusterSpec.parse(cluster, network.network());
    }

    /** Runs a policy on the generated workload. */
    DallyOutcome run(ExperimentRunner runner, String policy, long seed) {
        Topology topology = topology();
        return run(runner, policy, WorkloadSpec.generate(workload, topology, seed), topology, seed);
    }

    /** Runs a policy on these jobs. */
    DallyOutcome run(ExperimentRunner runner, String policy, Workload jobs, Topology topology, long seed) {
        RunResult result = runner.simulate(cluster, topology, jobs, policy, seed);
        return new DallyOutcome(
                result.summary().makespanSeconds() / 3600,
                result.summary().all().jct().mean() / 3600,
                result.summary().all().waiting().mean() / 3600,
                communicationHours(result, jobs, topology),
                result.summary().preemptions());
    }

    /** Run time beyond what the job would compute without a network, the mean over jobs. */
    private static double communicationHours(RunResult result, Workload workload, Topology topology) {
        Map<Long, Double> compute = new HashMap<>();
        for (SimulatedJob job : workload.jobs()) {
            compute.put(job.job().id(), job.durationMillis() / SpeedModel.speedWithoutNetwork(job.job(), topology, 0));
        }
        double sum = 0;
        for (JobResult job : result.jobs()) {
            sum += job.runMillis() - compute.getOrDefault(job.id(), 0.0);
        }
        return sum / result.jobs().size() / 3_600_000;
    }
}
