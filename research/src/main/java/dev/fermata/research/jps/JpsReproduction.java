package dev.fermata.research.jps;

import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.SampledMarket.SamplingOptions;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.workload.JpsInstances;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * JPS: the gap of its divisions to the exact optimum, and its speed-up over the solver; and the policy in simulation.
 */
public final class JpsReproduction implements Reproduction {
    private static final double PUBLISHED_GAP = 0.0204;
    private static final double SPEEDUP_THRESHOLD = 100;
    private static final double MILLIS_THRESHOLD = 50;
    private static final int LARGE_JOBS = 10;
    private static final int LARGE_WORKERS = 64;
    private static final String PAPER = "jps";
    private static final String GRID =
            "S=2..6, K=8..24, three types of workers, three types of instances, against the exact optimum";

    @Override
    public String paper() {
        return PAPER;
    }

    @Override
    public int workUnits(int seeds) {
        return 2 + JpsGrid.JOBS.length * JpsGrid.WORKERS.length + MixedClusterRuns.workUnits();
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        List<ResultTable> resultTables = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        String missing = ExactSolver.unavailable();
        if (missing == null) {
            grid(runner, resultTables, findings);
        } else {
            resultTables.add(new ResultTable("Static grid", List.of("not measured"), List.of(List.of(missing))));
        }
        simulate(runner, resultTables, findings);
        return new ReproductionReport(
                PAPER,
                "Sampling-Based Multi-Job Placement for Heterogeneous Deep Learning Clusters (TPDS 2024)",
                parameters(),
                resultTables,
                findings);
    }

    private static List<ReproductionParameter> parameters() {
        SamplingOptions knobs = SamplingOptions.DEFAULT;
        return List.of(
                ReproductionParameter.published("gap to the optimal JCT", "2.04 %"),
                ReproductionParameter.published("running time", "orders of magnitude below the optimum's"),
                ReproductionParameter.assumed(
                        "JCT", "rounds · (samples / rate + 2 (k-1) bytes / (k · link)): third-party code"),
                ReproductionParameter.assumed("GPU types", "T4, P100, V100 (third-party code), in random proportion"),
                ReproductionParameter.assumed("models", "11 of the model zoo; T4 speeds are our estimate"),
                ReproductionParameter.assumed("rounds", "500 to 20,000, log-uniform; 64 to 512 samples a round"),
                ReproductionParameter.assumed("links", "100 Gb/s (comm-light), 10 Gb/s (comm-heavy, wild)"),
                ReproductionParameter.assumed("samples N", Integer.toString(knobs.samples())),
                ReproductionParameter.assumed("alpha", knobs.alpha() + " of the samples near the centre (our reading)"),
                ReproductionParameter.assumed("beta", knobs.beta() + ": weight of fairness (our reading)"),
                ReproductionParameter.assumed(
                        "idle workers", knobs.idle() ? "allowed, for the optimum too" : "not allowed"),
                ReproductionParameter.assumed(
                        "times", "CPU time of one thread, after a warm-up; solver: CBC on a tabulated knapsack"));
    }

    private static void grid(ExperimentRunner runner, List<ResultTable> resultTables, List<Finding> findings) {
        runner.runAll(List.of(new ExperimentRunner.WorkUnit<>("warm-up", JpsGrid::warmUp)));
        List<JpsGrid.JpsVariant> variants = JpsGrid.variants();
        List<ExperimentRunner.WorkUnit<List<JpsGrid.SolvedInstance>>> workUnits = new ArrayList<>();
        for (int jobs : JpsGrid.JOBS) {
            for (int workers : JpsGrid.WORKERS) {
                workUnits.add(new ExperimentRunner.WorkUnit<>(
                        jobs + " jobs on " + workers + " workers",
                        () -> JpsGrid.solve(jobs, workers, runner.seeds(), variants)));
            }
        }
        List<JpsGrid.SolvedInstance> solved =
                runner.runAll(workUnits).stream().flatMap(List::stream).toList();
        JpsGridTables tables = new JpsGridTables(solved, variants);
        resultTables.addAll(tables.all());
        ConfidenceInterval gap = bySeed(
                runner,
                solved,
                subset -> JpsGridTables.mean(subset, x -> x.jps().gap()));
        double worst = solved.stream().mapToDouble(x -> x.jps().gap()).max().orElse(0);
        findings.add(new Finding(
                PAPER,
                "meanGap",
                "jps",
                "exact optimum",
                OptionalDouble.of(PUBLISHED_GAP),
                gap,
                gap.mean() <= PUBLISHED_GAP,
                runner.seeds().size(),
                GRID,
                "worst instance " + JpsGridTables.percent(worst)
                        + "; the trades at the end are ours, without them see N=40 in the table"));
        ConfidenceInterval speedup = bySeed(runner, solved, JpsGridTables::speedup);
        findings.add(new Finding(
                PAPER,
                "solverSpeedup",
                "jps",
                "CBC",
                OptionalDouble.empty(),
                speedup,
                speedup.mean() >= SPEEDUP_THRESHOLD,
                runner.seeds().size(),
                GRID,
                JpsGridTables.text("bar %.0f; least of any size %.0f", SPEEDUP_THRESHOLD, tables.minSpeedup())));
        findings.add(large(runner));
    }

    /** Decision time at a size beyond the solver. */
    private static Finding large(ExperimentRunner runner) {
        ConfidenceInterval millis = ConfidenceInterval.of(runner.runAll(List.of(new ExperimentRunner.WorkUnit<>(
                        "10 jobs on 64 workers", () -> {
                            List<Double> times = new ArrayList<>();
                            for (long seed : runner.seeds()) {
                                double sum = 0;
                                for (JpsInstances.InstanceClass instanceClass : JpsInstances.InstanceClass.values()) {
                                    Market market = JpsInstances.draw(instanceClass, LARGE_JOBS, LARGE_WORKERS, seed);
                                    sum += JpsGrid.placeMillis(market);
                                }
                                times.add(sum / JpsInstances.InstanceClass.values().length);
                            }
                            return times;
                        })))
                .get(0));
        return new Finding(
                PAPER,
                "placementMillis",
                "jps",
                "",
                OptionalDouble.empty(),
                millis,
                millis.mean() <= MILLIS_THRESHOLD,
                runner.seeds().size(),
                "S=10, K=64, after a warm-up",
                JpsGridTables.text("bar %.0f ms", MILLIS_THRESHOLD));
    }

    private static void simulate(ExperimentRunner runner, List<ResultTable> resultTables, List<Finding> findings) {
        MixedClusterRuns mixed = MixedClusterRuns.run(runner);
        resultTables.addAll(mixed.resultTables());
        for (String workload : MixedClusterRuns.WORKLOADS) {
            for (String baseline : List.of("fifo", "sjf")) {
                ConfidenceInterval less = mixed.reduction(workload, "jps", baseline);
                findings.add(new Finding(
                        PAPER,
                        "meanJctReduction",
                        "jps",
                        baseline,
                        OptionalDouble.empty(),
                        less,
                        less.mean() + less.halfWidth() >= 0,
                        runner.seeds().size(),
                        workload + " on " + MixedClusterRuns.CLUSTER,
                        "bar: not measurably worse; all waiting jobs placed at once, as in the paper, are "
                                + "jps:lookahead=false in the table"));
            }
            ConfidenceInterval lead = mixed.reduction(workload, "fermata", "jps");
            findings.add(new Finding(
                    PAPER,
                    "fermataLead",
                    "fermata",
                    "jps",
                    OptionalDouble.empty(),
                    lead,
                    lead.mean() >= -Finding.ALLOWED_LAG,
                    runner.seeds().size(),
                    workload + " on " + MixedClusterRuns.CLUSTER,
                    "mean JCT of the combined policy against the paper's own; at most 3 % behind is required"));
        }
    }

    private interface GridMetric {
        double of(List<JpsGrid.SolvedInstance> subset);
    }

    private static ConfidenceInterval bySeed(
            ExperimentRunner runner, List<JpsGrid.SolvedInstance> solved, GridMetric figure) {
        return ConfidenceInterval.of(runner.seeds().stream()
                .map(seed ->
                        figure.of(solved.stream().filter(x -> x.seed() == seed).toList()))
                .toList());
    }
}
