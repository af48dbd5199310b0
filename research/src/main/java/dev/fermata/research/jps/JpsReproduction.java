package dev.fermata.research.jps;

import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.SampledMarket.SamplingOptions;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.Measurement;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.workload.JpsInstances;
import java.util.ArrayList;
import java.util.List;

/**
 * JPS: the gap of its divisions to the exact optimum, its speed-up over exact methods, its fairness; and the policy in
 * simulation.
 */
public final class JpsReproduction implements Reproduction {
    private static final double PUBLISHED_GAP = 0.0204;
    private static final int LARGE_JOBS = 10;
    private static final int LARGE_WORKERS = 64;
    private static final String PAPER = "jps";
    private static final String FAIR = JpsGrid.beta(0.5);
    /** In the list of large sizes: 20 jobs on 128 workers of three types. */
    private static final int LARGEST = 3;

    private static final String GRID =
            "S=2..6, K=8..24, three types of workers, three types of instances, against the exact optimum";

    @Override
    public String paper() {
        return PAPER;
    }

    @Override
    public int workUnits(int seeds) {
        return 2
                + JpsGrid.JOBS.length * JpsGrid.WORKERS.length
                + JpsLargeGrid.SIZES.size()
                + MixedClusterRuns.workUnits();
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        List<ResultTable> resultTables = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        grid(runner, resultTables, findings);
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
                ReproductionParameter.published("fairness", "high"),
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
                        "times",
                        "CPU time of one thread, after a warm-up; exact: dynamic programme over counts of types"));
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
        double worst = solved.stream().mapToDouble(x -> x.jps().gap()).max().orElse(0);
        findings.add(gap(
                runner,
                "jps",
                bySeed(
                        runner,
                        solved,
                        subset -> JpsGridTables.mean(subset, x -> x.jps().gap())),
                "worst instance " + JpsGridTables.percent(worst) + "; the trades at the end are ours"));
        findings.add(gap(
                runner,
                "plain scheme",
                bySeed(
                        runner,
                        solved,
                        subset -> JpsGridTables.mean(
                                subset,
                                x -> tables.outcome(x, JpsGrid.PLAIN_SCHEME).gap())),
                "uniform sampling and a market in each of 40 categories, as the abstract has it"));
        JpsLargeGrid large = JpsLargeGrid.run(runner);
        resultTables.add(large.table());
        findings.add(speedup(
                runner,
                bySeed(runner, solved, JpsGridTables::speedup),
                GRID,
                JpsGridTables.text("least of any size %.2f", tables.minSpeedup())));
        JpsLargeGrid.LargeSize largest = JpsLargeGrid.SIZES.get(LARGEST);
        findings.add(speedup(
                runner,
                bySeed(runner, large.of(largest), JpsGridTables::speedup),
                largest.label(),
                "against the bounded programme; without bounds it takes minutes"));
        findings.add(millis(runner));
        fairness(runner, tables, solved, findings);
    }

    private static Finding gap(ExperimentRunner runner, String policy, ConfidenceInterval gap, String note) {
        return Finding.published(
                PAPER,
                "meanGap",
                policy,
                "exact optimum",
                PUBLISHED_GAP,
                new Measurement(gap, runner.seeds().size(), Measurement.SEED),
                GRID,
                note);
    }

    private static Finding speedup(ExperimentRunner runner, ConfidenceInterval speedup, String setting, String note) {
        return Finding.difference(
                PAPER,
                "exactSpeedup",
                "jps",
                "exact optimum",
                new Measurement(speedup, runner.seeds().size(), Measurement.SEED),
                setting,
                "published without a figure: orders of magnitude; " + note);
    }

    /** The abstract's second claim, and what our weight of fairness buys. */
    private static void fairness(
            ExperimentRunner runner,
            JpsGridTables tables,
            List<JpsGrid.SolvedInstance> solved,
            List<Finding> findings) {
        findings.add(fairness(
                runner,
                "jps",
                bySeed(
                        runner,
                        solved,
                        subset -> JpsGridTables.mean(subset, x -> x.jps().fairness() - equalSplit(tables, x))),
                "Jain's index less that of the equal split; the abstract says high, without a figure"));
        findings.add(fairness(
                runner,
                FAIR,
                bySeed(
                        runner,
                        solved,
                        subset -> JpsGridTables.mean(
                                subset, x -> tables.outcome(x, FAIR).fairness() - equalSplit(tables, x))),
                "the same with fairness weighed; gap to the optimum "
                        + JpsGridTables.percent(JpsGridTables.mean(
                                solved, x -> tables.outcome(x, FAIR).gap()))));
        ConfidenceInterval above = bySeed(
                runner,
                solved,
                subset -> subset.stream()
                        .mapToDouble(x -> x.jps().gap()
                                - tables.outcome(x, JpsGrid.EQUAL_SPLIT).gap())
                        .max()
                        .orElse(0));
        findings.add(Finding.difference(
                PAPER,
                "worstExcessGap",
                "jps",
                JpsGrid.EQUAL_SPLIT,
                new Measurement(above, runner.seeds().size(), Measurement.SEED),
                GRID,
                "our guarantee: on no instance worse than the equal split; the paper's is not at hand"));
    }

    private static double equalSplit(JpsGridTables tables, JpsGrid.SolvedInstance instance) {
        return tables.outcome(instance, JpsGrid.EQUAL_SPLIT).fairness();
    }

    private static Finding fairness(ExperimentRunner runner, String policy, ConfidenceInterval gain, String note) {
        return Finding.difference(
                PAPER,
                "fairnessGain",
                policy,
                JpsGrid.EQUAL_SPLIT,
                new Measurement(gain, runner.seeds().size(), Measurement.SEED),
                GRID,
                note);
    }

    /** Decision time at a size that a cluster may have. */
    private static Finding millis(ExperimentRunner runner) {
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
        return Finding.measurement(
                PAPER,
                "placementMillis",
                "jps",
                new Measurement(millis, runner.seeds().size(), Measurement.SEED),
                "S=10, K=64, after a warm-up",
                "of all waiting jobs at once");
    }

    private static void simulate(ExperimentRunner runner, List<ResultTable> resultTables, List<Finding> findings) {
        MixedClusterRuns mixed = MixedClusterRuns.run(runner);
        resultTables.addAll(mixed.resultTables());
        for (String workload : MixedClusterRuns.WORKLOADS) {
            for (String baseline : List.of("fifo", "sjf")) {
                ConfidenceInterval less = mixed.reduction(workload, "jps", baseline);
                findings.add(Finding.difference(
                        PAPER,
                        "meanJctReduction",
                        "jps",
                        baseline,
                        new Measurement(less, runner.seeds().size(), Measurement.SEED),
                        workload + " on " + MixedClusterRuns.CLUSTER,
                        "all waiting jobs placed at once, as in the paper, are " + "jps:lookahead=false in the table"));
            }
            ConfidenceInterval lead = mixed.reduction(workload, "fermata", "jps");
            findings.add(Finding.difference(
                    PAPER,
                    "fermataLead",
                    "fermata",
                    "jps",
                    new Measurement(lead, runner.seeds().size(), Measurement.SEED),
                    workload + " on " + MixedClusterRuns.CLUSTER,
                    "mean JCT of the combined policy against the paper's own"));
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
