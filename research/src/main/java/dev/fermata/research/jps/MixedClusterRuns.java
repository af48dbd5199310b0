package dev.fermata.research.jps;

import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The policy in simulation: elastic jobs on a cluster of three GPU types, compared with policies that place one job
 * after the other.
 */
final class MixedClusterRuns {
    /** The compared policies, one row each. */
    static final List<String> POLICIES =
            List.of("fifo", "sjf", "srtf", "fair", "jps:lookahead=false", "jps", "fermata");

    static final String CLUSTER = "1x8:T4+1x8:P100+1x8:V100";
    static final List<String> WORKLOADS = List.of("jps:jobs=10", "jps:jobs=24", "jps:jobs=100,gap=900");

    private record MixedRun(String workload, String policy, long seed, RunResult result) {}

    private final List<MixedRun> runs = new ArrayList<>();
    private final List<Long> seeds;

    private MixedClusterRuns(List<Long> seeds) {
        this.seeds = seeds;
    }

    static int workUnits() {
        return WORKLOADS.size() * POLICIES.size();
    }

    static MixedClusterRuns run(ExperimentRunner runner) {
        return run(runner, POLICIES);
    }

    /** Any policies on the workloads of this chapter. */
    static MixedClusterRuns run(ExperimentRunner runner, List<String> policies) {
        Topology topology = ClusterSpec.parse(CLUSTER);
        List<ExperimentRunner.WorkUnit<List<MixedRun>>> workUnits = new ArrayList<>();
        for (String workload : WORKLOADS) {
            for (String policy : policies) {
                workUnits.add(new ExperimentRunner.WorkUnit<>(policy + " on " + workload, () -> {
                    List<MixedRun> subset = new ArrayList<>();
                    for (long seed : runner.seeds()) {
                        Workload jobs = WorkloadSpec.generate(workload, topology, seed);
                        RunResult result = runner.simulate(CLUSTER, topology, jobs, policy, seed);
                        subset.add(new MixedRun(workload, policy, seed, result));
                    }
                    return subset;
                }));
            }
        }
        MixedClusterRuns mixed = new MixedClusterRuns(runner.seeds());
        runner.runAll(workUnits).forEach(mixed.runs::addAll);
        return mixed;
    }

    /** How much shorter the mean completion time is under a policy than under another, seed by seed. */
    ConfidenceInterval reduction(String workload, String policy, String baseline) {
        return ConfidenceInterval.of(seeds.stream()
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

    List<ResultTable> resultTables() {
        return WORKLOADS.stream().map(this::table).toList();
    }

    private ResultTable table(String workload) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : runs.stream().map(MixedRun::policy).distinct().toList()) {
            List<RunResult> results = runs.stream()
                    .filter(r -> r.workload.equals(workload) && r.policy.equals(policy))
                    .map(MixedRun::result)
                    .toList();
            ConfidenceInterval less = reduction(workload, policy, "sjf");
            rows.add(List.of(
                    policy,
                    number(results.stream()
                            .mapToDouble(r -> r.summary().all().jct().mean())),
                    number(results.stream()
                            .mapToDouble(r -> r.summary().all().jct().p95())),
                    number(results.stream()
                            .mapToDouble(r -> r.summary().all().waiting().mean())),
                    number(results.stream().mapToDouble(r -> 100 * r.summary().gpuUtilization())) + " %",
                    JpsGridTables.text("%+.1f %% ±%.1f", 0 - 100 * less.mean(), 100 * less.halfWidth())));
        }
        return new ResultTable(
                workload + " on " + CLUSTER + " (mean over seeds)",
                List.of("policy", "mean JCT s", "p95 JCT s", "mean wait s", "GPUs busy", "JCT vs sjf"),
                rows);
    }

    private static String number(DoubleStream values) {
        return JpsGridTables.text("%.0f", values.average().orElse(0));
    }
}
