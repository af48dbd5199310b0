package dev.fermata.sim.reproduce.jps;

import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.Sheet;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** The policy in simulation: elastic jobs on a cluster of three GPU types, beside policies that place one job after the other. */
final class Mixed {
    /** The policies side by side; one more here is one more row. */
    static final List<String> POLICIES =
            List.of("fifo", "sjf", "srtf", "fair", "jps:lookahead=false", "jps", "fermata");

    static final String CLUSTER = "1x8:T4+1x8:P100+1x8:V100";
    static final List<String> WORKLOADS = List.of("jps:jobs=10", "jps:jobs=24", "jps:jobs=100,gap=900");

    private record Run(String workload, String policy, long seed, RunResult result) {}

    private final List<Run> runs = new ArrayList<>();
    private final List<Long> seeds;

    private Mixed(List<Long> seeds) {
        this.seeds = seeds;
    }

    static int pieces() {
        return WORKLOADS.size() * POLICIES.size();
    }

    static Mixed run(Lab lab) {
        return run(lab, POLICIES);
    }

    /** Any policies on the workloads of this chapter. */
    static Mixed run(Lab lab, List<String> policies) {
        Topology topology = ClusterSpec.parse(CLUSTER);
        List<Lab.Piece<List<Run>>> pieces = new ArrayList<>();
        for (String workload : WORKLOADS) {
            for (String policy : policies) {
                pieces.add(new Lab.Piece<>(policy + " on " + workload, () -> {
                    List<Run> some = new ArrayList<>();
                    for (long seed : lab.seeds()) {
                        Workload jobs = WorkloadSpec.generate(workload, topology, seed);
                        RunResult result = lab.simulate(CLUSTER, topology, jobs, policy, seed);
                        some.add(new Run(workload, policy, seed, result));
                    }
                    return some;
                }));
            }
        }
        Mixed mixed = new Mixed(lab.seeds());
        lab.all(pieces).forEach(mixed.runs::addAll);
        return mixed;
    }

    /** How much shorter the mean completion time is under a policy than under another, seed by seed. */
    Estimate reduction(String workload, String policy, String baseline) {
        return Estimate.of(seeds.stream()
                .map(seed -> 1 - jct(workload, policy, seed) / jct(workload, baseline, seed))
                .toList());
    }

    private double jct(String workload, String policy, long seed) {
        return runs.stream()
                .filter(r -> r.workload.equals(workload) && r.policy.equals(policy) && r.seed == seed)
                .findFirst()
                .orElseThrow()
                .result
                .summary()
                .all()
                .jct()
                .mean();
    }

    List<Sheet> sheets() {
        return WORKLOADS.stream().map(this::sheet).toList();
    }

    private Sheet sheet(String workload) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : runs.stream().map(Run::policy).distinct().toList()) {
            List<RunResult> results = runs.stream()
                    .filter(r -> r.workload.equals(workload) && r.policy.equals(policy))
                    .map(Run::result)
                    .toList();
            Estimate less = reduction(workload, policy, "sjf");
            rows.add(List.of(
                    policy,
                    number(results.stream()
                            .mapToDouble(r -> r.summary().all().jct().mean())),
                    number(results.stream()
                            .mapToDouble(r -> r.summary().all().jct().p95())),
                    number(results.stream()
                            .mapToDouble(r -> r.summary().all().waiting().mean())),
                    number(results.stream().mapToDouble(r -> 100 * r.summary().gpuUtilization())) + " %",
                    GridSheets.text("%+.1f %% ±%.1f", 0 - 100 * less.mean(), 100 * less.halfWidth())));
        }
        return new Sheet(
                workload + " on " + CLUSTER + " (mean over seeds)",
                List.of("policy", "mean JCT s", "p95 JCT s", "mean wait s", "GPUs busy", "JCT vs sjf"),
                rows);
    }

    private static String number(DoubleStream values) {
        return GridSheets.text("%.0f", values.average().orElse(0));
    }
}
