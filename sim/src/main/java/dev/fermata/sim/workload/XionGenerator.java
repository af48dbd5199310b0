package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * Jobs with high preemption costs, for studies of preemption. Run times lie between {@code min} and {@code max}
 * seconds, uniform in their logarithm. Each job has one of six models with the costs of the Xion authors' simulator:
 * the k-th takes 10k seconds each to pause, build, restore and warm up. Gangs of 1, 2, 4 and 8 and a Poisson stream;
 * sizes, run times and arrivals are ours.
 */
public final class XionGenerator implements WorkloadGenerator {
    private static final int MODELS = 6;
    private static final long COST_STEP_MILLIS = 10_000;
    /** Long enough to save in: their simulator loses no work. */
    private static final long GRACE_MILLIS = 3_600_000;

    private static final int[] GANGS = {1, 2, 4, 8};
    private static final double[] GANG_WEIGHTS = {0.5, 0.2, 0.2, 0.1};

    @Override
    public String name() {
        return "xion";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 200, 1, 10_000_000, "number of jobs"),
                GeneratorParameter.number(
                        "load", 1, 0.01, 100, "work submitted over what the cluster can do meanwhile"),
                GeneratorParameter.number("min", 200, 1, 1e7, "shortest run time in seconds"),
                GeneratorParameter.number("max", 3000, 1, 1e7, "longest run time in seconds"));
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        double min = values.number("min");
        double max = values.number("max");
        if (max < min) {
            throw new IllegalArgumentException("workload '" + workload + "': max must not be below min");
        }
        int largest = SyntheticGenerator.largestGang(topology, 0);
        Rng sizes = Rng.stream(seed, 1);
        int jobs = values.integer("jobs");
        int[] gpus = new int[jobs];
        double[] seconds = new double[jobs];
        double work = 0;
        for (int i = 0; i < jobs; i++) {
            gpus[i] = Math.min(largest, GANGS[sizes.weightedIndex(GANG_WEIGHTS)]);
            seconds[i] = min * StrictMath.exp(sizes.uniform() * StrictMath.log(max / min));
            work += gpus[i] * seconds[i];
        }
        double gap = work / (values.number("load") * topology.gpuCount()) / jobs;
        Rng arrivals = Rng.stream(seed, 2);
        Rng models = Rng.stream(seed, 3);
        List<SimulatedJob> generated = new ArrayList<>(jobs);
        double at = 0;
        for (int i = 0; i < jobs; i++) {
            at += arrivals.exponential(gap);
            int model = models.uniformInt(MODELS);
            long cost = COST_STEP_MILLIS * (model + 1);
            Job job = Job.builder(i + 1L, gpus[i])
                    .name((char) ('a' + model) + "-" + (i + 1))
                    .demand(Demand.gpus(gpus[i]))
                    .costs(new Costs(cost, cost, cost, cost))
                    .graceMillis(GRACE_MILLIS)
                    .build();
            generated.add(SimulatedJob.of(job, Math.round(at * 1000), Math.round(seconds[i] * 1000)));
        }
        return new Workload(workload, generated);
    }
}
