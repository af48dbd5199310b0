package dev.fermata.research.command;

import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.Measurement;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A real reproduction in small: twenty jobs on four GPUs under two policies. */
record TinyReproduction(String paper) implements Reproduction {
    private static final String CLUSTER = "1x4";
    private static final String WORKLOAD = "synthetic:jobs=20,load=2,max-gpus=4";
    private static final List<String> POLICIES = List.of("fifo", "srtf");

    @Override
    public int workUnits(int seeds) {
        return seeds * POLICIES.size();
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner lab) {
        List<ExperimentRunner.WorkUnit<RunResult>> units = new ArrayList<>();
        Topology topology = ClusterSpec.parse(CLUSTER);
        for (String policy : POLICIES) {
            for (long seed : lab.seeds()) {
                units.add(new ExperimentRunner.WorkUnit<>(
                        policy + " seed " + seed,
                        () -> lab.simulate(
                                CLUSTER, topology, WorkloadSpec.generate(WORKLOAD, topology, seed), policy, seed)));
            }
        }
        List<RunResult> runs = lab.runAll(units);
        int n = lab.seeds().size();
        List<Double> reductions = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            reductions.add(1 - meanJct(runs.get(n + i)) / meanJct(runs.get(i)));
        }
        Measurement reduction = Measurement.bySeed(reductions);
        return new ReproductionReport(
                paper,
                "shortest first is <faster> & that's \"it\"",
                List.of(
                        ReproductionParameter.published("cluster", CLUSTER),
                        ReproductionParameter.assumed("workload", WORKLOAD)),
                List.of(new ResultTable(
                        "Mean completion time, first seed",
                        List.of("policy", "mean JCT"),
                        List.of(row("fifo", runs.get(0)), row("srtf", runs.get(n))))),
                List.of(
                        Finding.published(paper, "meanJctReduction", "srtf", "fifo", 0.01, reduction, WORKLOAD, ""),
                        Finding.difference(
                                paper,
                                "meanJctFactor",
                                "srtf",
                                "fifo",
                                reduction,
                                WORKLOAD,
                                "A factor, <b>not</b> a share.")));
    }

    private static double meanJct(RunResult run) {
        return run.summary().all().jct().mean();
    }

    private static List<String> row(String policy, RunResult run) {
        return List.of(policy, String.format(Locale.ROOT, "%.1f s", meanJct(run)));
    }
}
